import { ValidationError } from "../errors/planledger-error.ts";
import type { Directory, DirectoryEntry } from "./directory.ts";
import { entryOrder } from "./directory-order.ts";
import { emptyTree } from "./empty-tree.ts";
import { maxFileSizeBytes } from "./file-limit.ts";
import { checkName } from "./path-rules.ts";

/**
 * Throws a `ValidationError` that names the entry (`entries/3/name`) unless a directory from outside is well formed: names
 * are valid single segments, none twice (as file and directory neither), in git's order; modes and hashes are such; no
 * submodule; no empty subdirectory. It does not know whether what the entries refer to exists.
 */
export const checkDirectory = (directory: Directory): void => {
  const names = new Set<string>();
  for (const [index, entry] of directory.entries.entries()) {
    const refuse = (part: string, message: string): ValidationError =>
      new ValidationError({
        field: `entries/${index}/${part}`,
        message: `${message} (entry ${JSON.stringify(entry.name)})`,
      });
    checkName(entry.name, `entries/${index}/name`);
    if (names.has(entry.name)) throw refuse("name", "A directory holds each name once");
    names.add(entry.name);
    const previous = directory.entries[index - 1];
    if (previous !== undefined && entryOrder(previous, entry) >= 0) {
      throw refuse(
        "name",
        "Entries stand in git's order: by the bytes of their names, directories as if they ended in /",
      );
    }
    checkEntry(entry, refuse);
  }
};

const checkEntry = (
  entry: DirectoryEntry,
  refuse: (part: string, message: string) => ValidationError,
): void => {
  if (entry.kind === "directory") {
    if (!isSha256(entry.directory.sha256)) throw refuse("sha256", "sha256 must be 64 lower-case hex digits");
    if (!isSha1(entry.directory.gitTreeId)) throw refuse("gitId", "gitId must be 40 lower-case hex digits");
    if (entry.directory.sha256 === emptyTree.sha256)
      throw refuse("sha256", "A tree holds no empty directory; leave it out");
    return;
  }
  const mode: string = entry.file.mode;
  if (mode === "160000") {
    throw refuse(
      "mode",
      "Mode 160000 is a submodule link, which a tree cannot hold; leave it out or add its files",
    );
  }
  if (mode !== "100644" && mode !== "100755" && mode !== "120000") {
    throw refuse("mode", `Unknown mode ${JSON.stringify(mode)}; allowed are 100644, 100755 and 120000`);
  }
  if (!isSha256(entry.file.sha256)) throw refuse("sha256", "sha256 must be 64 lower-case hex digits");
  if (!isSha1(entry.file.gitBlobId)) throw refuse("gitId", "gitId must be 40 lower-case hex digits");
  const { sizeBytes } = entry.file;
  if (!Number.isSafeInteger(sizeBytes) || sizeBytes < 0 || sizeBytes > maxFileSizeBytes) {
    throw refuse("sizeBytes", `sizeBytes must be a whole number from 0 to ${maxFileSizeBytes}`);
  }
};

const isSha256 = (value: string): boolean => /^[0-9a-f]{64}$/.test(value);
const isSha1 = (value: string): boolean => /^[0-9a-f]{40}$/.test(value);
