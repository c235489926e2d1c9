import type { DecisionRecord } from "./decision-record.ts";
import type { OverlayEntry, RunOverlay } from "./run-state.ts";
import type { StepRef } from "./step.ts";

/** An overlay that grows. Of several entries for one path the last one counts. */
export interface OverlayMap {
  readonly overlay: RunOverlay;
  readonly size: number;
  set(resource: string, path: string, entry: OverlayEntry): void;
  get(resource: string, path: string): OverlayEntry | undefined;
  entries(): Iterable<readonly [resource: string, path: string, entry: OverlayEntry]>;
}

export function overlayMap(): OverlayMap {
  const resources = new Map<string, Map<string, OverlayEntry>>();
  let size = 0;
  return {
    overlay: resources,
    get size() {
      return size;
    },
    set(resource, path, entry) {
      let paths = resources.get(resource);
      if (paths === undefined) {
        paths = new Map();
        resources.set(resource, paths);
      }
      size += paths.has(path) ? 0 : 1;
      paths.set(path, entry);
    },
    get: (resource, path) => resources.get(resource)?.get(path),
    *entries() {
      for (const [resource, paths] of resources) {
        for (const [path, entry] of paths) {
          yield [resource, path, entry] as const;
        }
      }
    },
  };
}

/** Puts what a decision changed into an overlay; `locate` says which step holds a content. */
export function overlayDecision(
  into: Pick<OverlayMap, "set">,
  record: DecisionRecord,
  locate: (sha256: string) => StepRef | undefined,
): void {
  for (const { resource, path, after } of record.entries) {
    const at = after === null ? undefined : locate(after.sha256);
    into.set(resource, path, at === undefined ? { file: after } : { file: after, at });
  }
}
