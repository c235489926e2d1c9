import type { FileState } from "./file-state.ts";

/** One path that differs between two trees; `undefined` is absence. */
export interface TreeDifference {
  readonly path: string;
  readonly before: FileState | undefined;
  readonly after: FileState | undefined;
}
