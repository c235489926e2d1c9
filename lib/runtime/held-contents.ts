import type { StoredWorkspace } from "../workspace/stored-workspace.ts";

/** Content that a run's workspaces hold in memory: all that the state does not find yet, and of the rest what came last. */
export interface HeldContents {
  /** The state finds these now, so they may be let go. */
  stored(sha256s: Iterable<string>): void;
  /** Lets go of the oldest of what the state finds, down to the limit. */
  release(): void;
  /** Answers how to let go of everything that was written since; until then nothing else may be let go. */
  mark(): () => void;
}

/** `limitBytes` counts what the state finds and is held all the same, since what was written last is read soonest. */
export const heldContents = (workspaces: readonly StoredWorkspace[], limitBytes: number): HeldContents => {
  const found = new Map<string, number>();
  let foundBytes = 0;

  const sizeOf = (sha256: string): number =>
    workspaces.reduce((sum, { newContents }) => sum + (newContents().get(sha256)?.byteLength ?? 0), 0);

  const forget = (sha256: string): void => {
    foundBytes -= found.get(sha256) ?? 0;
    found.delete(sha256);
  };

  return {
    stored(sha256s) {
      for (const sha256 of sha256s) {
        forget(sha256);
        const sizeBytes = sizeOf(sha256);
        if (sizeBytes === 0) continue;
        found.set(sha256, sizeBytes);
        foundBytes += sizeBytes;
      }
    },
    release() {
      for (const sha256 of found.keys()) {
        if (foundBytes <= limitBytes) return;
        forget(sha256);
        for (const workspace of workspaces) workspace.contentsStored([sha256]);
      }
    },
    mark() {
      const counts = workspaces.map((workspace) => workspace.newContents().size);
      return () => {
        for (const [index, workspace] of workspaces.entries()) {
          // A map remembers the order of insertion.
          workspace.contentsStored([...workspace.newContents().keys()].slice(counts[index]));
        }
      };
    },
  };
};
