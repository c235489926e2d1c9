import { InfrastructureError } from "../errors/planledger-error.ts";
import type { Directory, DirectoryEntry } from "./directory.ts";
import { directoryRef } from "./directory-ref.ts";
import type { FileMode } from "./file-state.ts";

const version = 1;
const directoryTag = 4;
const fileTags: Readonly<Record<FileMode, number>> = { "100644": 1, "100755": 2, "120000": 3 };
const fileModes: ReadonlyMap<number, FileMode> = new Map([
  [1, "100644"],
  [2, "100755"],
  [3, "120000"],
]);

/**
 * A directory as stores keep it: a version byte, then for each entry a tag (1–3 a file by mode, 4 a subdirectory), the
 * name's length in one byte, the name, 32 bytes of SHA-256, 20 bytes of git id and, for a file, its size in six bytes,
 * big-endian. Expects a directory that passes `checkDirectory`.
 */
export const encodeDirectory = (directory: Directory): Uint8Array => {
  const parts: Buffer[] = [Buffer.of(version)];
  for (const entry of directory.entries) {
    const name = Buffer.from(entry.name);
    const isDirectory = entry.kind === "directory";
    parts.push(Buffer.of(isDirectory ? directoryTag : fileTags[entry.file.mode], name.length), name);
    parts.push(Buffer.from(isDirectory ? entry.directory.sha256 : entry.file.sha256, "hex"));
    parts.push(Buffer.from(isDirectory ? entry.directory.gitTreeId : entry.file.gitBlobId, "hex"));
    if (!isDirectory) {
      const size = Buffer.alloc(6);
      size.writeUIntBE(entry.file.sizeBytes, 0, 6);
      parts.push(size);
    }
  }
  return Buffer.concat(parts);
};

/**
 * The directory that `encodeDirectory` wrote. Throws `InfrastructureError` (`internal`) when the bytes are no directory or
 * not the one addressed by `sha256`: the store gave back something else than was put.
 */
export const decodeDirectory = (bytes: Uint8Array, sha256: string): Directory => {
  const directory = parse(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength));
  if (directory === undefined || directoryRef(directory).sha256 !== sha256) {
    throw new InfrastructureError({
      code: "internal",
      message: `The stored directory ${sha256} is damaged: its ${bytes.byteLength} bytes do not hash to its address.`,
    });
  }
  return directory;
};

const parse = (bytes: Buffer): Directory | undefined => {
  if (bytes[0] !== version) return undefined;
  const entries: DirectoryEntry[] = [];
  let offset = 1;
  while (offset < bytes.length) {
    const tag = bytes[offset] ?? 0;
    const hashes = offset + 2 + (bytes[offset + 1] ?? 0);
    const mode = fileModes.get(tag);
    const end = hashes + (mode === undefined ? 52 : 58);
    if (end > bytes.length || (mode === undefined && tag !== directoryTag)) return undefined;
    const name = bytes.toString("utf8", offset + 2, hashes);
    const sha256 = bytes.toString("hex", hashes, hashes + 32);
    const gitId = bytes.toString("hex", hashes + 32, hashes + 52);
    entries.push(
      mode === undefined
        ? { kind: "directory", name, directory: { sha256, gitTreeId: gitId } }
        : {
            kind: "file",
            name,
            file: { sha256, sizeBytes: bytes.readUIntBE(hashes + 52, 6), mode, gitBlobId: gitId },
          },
    );
    offset = end;
  }
  return { entries };
};
