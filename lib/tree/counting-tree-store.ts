import type { TreeStore } from "./tree-store.ts";

/** What went through a counting store: directories loaded and directories put. */
export interface TreeCounts {
  readonly reads: number;
  readonly writes: number;
}

/** A tree store that counts what it passes on: tests and benchmarks hold the reads of a decision to a bound. */
export const countingTreeStore = (store: TreeStore): TreeStore & { counts(): TreeCounts } => {
  let reads = 0;
  let writes = 0;
  return {
    get(sha256) {
      reads += 1;
      return store.get(sha256);
    },
    put(directories) {
      writes += directories.length;
      return store.put(directories);
    },
    missing(sha256s) {
      return store.missing(sha256s);
    },
    counts: () => ({ reads, writes }),
  };
};
