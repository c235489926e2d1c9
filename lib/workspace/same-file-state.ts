import type { FileState } from "../tree/file-state.ts";

/** Whether two states are the same content under the same mode, or both absent. */
export const sameFileState = (a: FileState | undefined, b: FileState | undefined): boolean =>
  a === undefined || b === undefined ? a === b : a.sha256 === b.sha256 && a.mode === b.mode;
