/** Git's file modes, the only ones a file tree holds; a directory is no entry of its own. */
export type FileMode = "100644" | "100755" | "120000";

/**
 * One file or symbolic link as a tree records it. `sha256` is over the raw bytes (of a link: over its target),
 * in lower-case hex; `gitBlobId` is git's SHA-1 blob id of the same bytes, an attribute that no digest covers.
 */
export interface FileState {
  readonly sha256: string;
  readonly sizeBytes: number;
  readonly mode: FileMode;
  readonly gitBlobId: string;
}
