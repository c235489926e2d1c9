import { createHash } from "node:crypto";
import type { FileMode, FileState } from "../tree/file-state.ts";

/** What a tree records of a file with these bytes (of a symbolic link: its target's) and this mode. */
export const contentState = (bytes: Uint8Array, mode: FileMode): FileState => ({
  sha256: contentSha256(bytes),
  sizeBytes: bytes.byteLength,
  mode,
  gitBlobId: gitBlobId(bytes),
});

/** The address of content: SHA-256 of the raw bytes, lower-case hex. */
export const contentSha256 = (bytes: Uint8Array): string => createHash("sha256").update(bytes).digest("hex");

/** What `git hash-object` prints for the bytes, without filters. */
export const gitBlobId = (bytes: Uint8Array): string =>
  createHash("sha1").update(`blob ${bytes.byteLength}\0`).update(bytes).digest("hex");
