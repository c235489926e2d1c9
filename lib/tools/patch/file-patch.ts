import type { FileMode } from "../../tree/file-state.ts";

/** A hunk's two sides, lines with their line feeds as text of one unit a byte; the last one of a file may lack its own. */
export interface Hunk {
  /** 1-based line of the patch where it begins. */
  readonly patchLine: number;
  /** 1-based line of the old file; of an insertion without context the line before it. */
  readonly oldStart: number;
  readonly oldLines: readonly string[];
  readonly newLines: readonly string[];
  /** Lines of context behind the last change. */
  readonly trailingContext: number;
}

export type BinaryBody =
  | { readonly method: "literal"; readonly bytes: Uint8Array }
  | { readonly method: "delta"; readonly bytes: Uint8Array };

/** What a patch does to one file. Paths are those in the tree, without `a/` and `b/`. */
export interface FilePatch {
  readonly patchLine: number;
  readonly kind: "change" | "create" | "delete" | "rename" | "copy";
  /** Of a creation the same as `newPath`, of a deletion the path that goes. */
  readonly oldPath: string;
  readonly newPath: string;
  readonly oldMode?: FileMode;
  readonly newMode?: FileMode;
  readonly hunks: readonly Hunk[];
  readonly binary?: BinaryBody;
  /** Full git blob ids of both sides, where the patch gives them. */
  readonly blobIds?: { readonly before: string; readonly after: string };
}
