import type { ChangeEntry } from "../changeset/change-entry.ts";
import type { ChangeSet } from "../changeset/change-set.ts";
import type { ChangeSetStore, DecisionChanges } from "../changeset/change-set-store.ts";
import { ConflictError } from "../errors/planledger-error.ts";

interface OpenDecision {
  readonly decisionId: string;
  readonly entries: ChangeEntry[];
  readonly contents: Map<string, Uint8Array>;
}

/**
 * What is being recorded into one active changeset. Entries are buffered until their decision is over, since the store
 * takes decisions whole: it is over when an entry of another decision comes, or at `flush`. What the store did not take
 * (an outage) stays buffered and goes with the next flush.
 */
export interface ChangesetRecording {
  /** Buffers one entry, with the content before and after that its states name. */
  record(entry: ChangeEntry, contents: ReadonlyMap<string, Uint8Array>): void;
  /** Writes what is buffered, the decision under way included. */
  flush(): Promise<void>;
  /** The changeset with everything recorded so far, written or buffered. */
  read(): Promise<ChangeSet | undefined>;
  content(sha256: string): Promise<Uint8Array | undefined>;
  seal(digest: string): Promise<void>;
}

export function changesetRecording(options: {
  readonly changesetId: string;
  readonly store: ChangeSetStore;
}): ChangesetRecording {
  const { changesetId, store } = options;
  const finished: DecisionChanges[] = [];
  let open: OpenDecision | undefined;
  let position = 0;
  let sealing = false;
  let last: Promise<unknown> = Promise.resolve();

  /** One store operation after another, so that decisions arrive in order and a read sees each entry once. */
  function inTurn<T>(operation: () => Promise<T>): Promise<T> {
    const turn = last.then(operation, operation);
    last = turn.catch(() => undefined);
    return turn;
  }

  function finish(): void {
    if (open !== undefined) {
      finished.push({ ...open, position });
      position += 1;
      open = undefined;
    }
  }

  async function write(): Promise<void> {
    for (let next = finished[0]; next !== undefined; next = finished[0]) {
      await store.append(changesetId, next);
      finished.shift();
    }
  }

  return {
    record(entry, contents) {
      if (sealing) {
        throw new ConflictError({
          code: "changeset_sealed",
          message: `Changeset ${changesetId} is being sealed; nothing can be recorded into it any more.`,
          details: { changesetId },
        });
      }
      if (open?.decisionId !== entry.decisionId) {
        finish();
        open = { decisionId: entry.decisionId, entries: [], contents: new Map() };
      }
      open.entries.push(structuredClone(entry));
      for (const [sha256, bytes] of contents) {
        open.contents.set(sha256, bytes.slice());
      }
    },
    flush() {
      finish();
      return inTurn(write);
    },
    read() {
      return inTurn(async () => {
        await write();
        const stored = await store.get(changesetId);
        const buffered = [...finished.flatMap((changes) => changes.entries), ...(open?.entries ?? [])];
        return stored && { ...stored, entries: [...stored.entries, ...structuredClone(buffered)] };
      });
    },
    content(sha256) {
      const buffered = [open, ...finished].find((changes) => changes?.contents.has(sha256));
      const bytes = buffered?.contents.get(sha256);
      return bytes === undefined
        ? inTurn(() => store.content(changesetId, sha256))
        : Promise.resolve(bytes.slice());
    },
    async seal(digest) {
      finish();
      sealing = true;
      try {
        await inTurn(async () => {
          await write();
          await store.seal(changesetId, digest);
        });
      } catch (error) {
        sealing = false;
        throw error;
      }
    },
  };
}
