import { createHash } from "node:crypto";
import type { Directory, DirectoryEntry, DirectoryRef } from "./directory.ts";

const refs = new WeakMap<Directory, DirectoryRef>();

/** Both hashes of a directory, kept with the object, which nobody changes. */
export const directoryRef = (directory: Directory): DirectoryRef => {
  const known = refs.get(directory);
  if (known !== undefined) return known;
  const ref = { sha256: directorySha256(directory), gitTreeId: gitTreeId(directory) };
  refs.set(directory, ref);
  return ref;
};

/**
 * A directory's address: SHA-256 of the canonical JSON (RFC 8785) of `["planledger-directory/1", …entries]`, a file as
 * `[mode, name, sha256, sizeBytes]`, a subdirectory as `["040000", name, sha256]`, in git's order. Git ids are attributes
 * and are not covered. Expects a directory that passes `checkDirectory`.
 */
export const directorySha256 = (directory: Directory): string =>
  // Of well-formed strings and integers in arrays, JSON.stringify is the canonical form.
  createHash("sha256")
    .update(JSON.stringify(["planledger-directory/1", ...directory.entries.map(hashedEntry)]))
    .digest("hex");

const hashedEntry = (entry: DirectoryEntry): readonly (string | number)[] =>
  entry.kind === "directory"
    ? ["040000", entry.name, entry.directory.sha256]
    : [entry.file.mode, entry.name, entry.file.sha256, entry.file.sizeBytes];

/** What `git write-tree` prints for this directory: SHA-1 of git's tree object. */
export const gitTreeId = (directory: Directory): string => {
  const parts: Buffer[] = [];
  let length = 0;
  const push = (part: Buffer): void => {
    parts.push(part);
    length += part.length;
  };
  for (const entry of directory.entries) {
    const mode = entry.kind === "directory" ? "40000" : entry.file.mode;
    push(Buffer.from(`${mode} ${entry.name}\0`));
    push(Buffer.from(entry.kind === "directory" ? entry.directory.gitTreeId : entry.file.gitBlobId, "hex"));
  }
  const hash = createHash("sha1").update(`tree ${length}\0`);
  for (const part of parts) hash.update(part);
  return hash.digest("hex");
};
