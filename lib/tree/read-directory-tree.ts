import { constants } from "node:fs";
import { lstat, open, readlink, realpath } from "node:fs/promises";
import { join } from "node:path";
import { NotFoundError, ValidationError } from "../errors/planledger-error.ts";
import { maxFileSizeBytes } from "./file-limit.ts";
import type { FileMode } from "./file-state.ts";
import { checkPath } from "./path-rules.ts";

/** A file of a directory on disk: a symbolic link's bytes are its target. */
export interface DiskFile {
  readonly path: string;
  readonly mode: FileMode;
  readonly bytes: Uint8Array;
}

/**
 * Reads these files of a directory, one after another: bytes as they are, the owner's executable bit, links unfollowed. Paths
 * are relative and `/`-separated, as strings or, since names on disk are bytes, as bytes. Throws a `ValidationError` that
 * names the path for one that is refused or not UTF-8, lies behind a link, is no file or link (a directory: perhaps a
 * submodule), or is above the size limit; `NotFoundError` for one that is gone. Which files belong to a project is for the
 * caller to say.
 */
export async function* readDirectoryTree(
  directory: string,
  paths: Iterable<string | Uint8Array> | AsyncIterable<string | Uint8Array>,
): AsyncGenerator<DiskFile, void, undefined> {
  const root = await realpath(directory);
  const checked = new Set<string>([""]);
  for await (const given of paths) {
    const path = utf8Path(given);
    checkPath(path);
    await checkParents(root, path, checked);
    yield await readOne(root, path);
  }
}

const utf8Path = (given: string | Uint8Array): string => {
  if (typeof given === "string") return given;
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(given);
  } catch (cause) {
    const shown = Buffer.from(given)
      .toString("latin1")
      .replaceAll(/[^ -~]/g, hexEscape);
    throw refused(shown, "its name is not UTF-8; rename it, or leave it out", cause);
  }
};

const hexEscape = (character: string): string =>
  `\\x${character.charCodeAt(0).toString(16).padStart(2, "0")}`;

/** Throws unless every directory above the path is a real one. `checked` keeps those already seen. */
const checkParents = async (root: string, path: string, checked: Set<string>): Promise<void> => {
  const names = path.split("/").slice(0, -1);
  for (let length = 1; length <= names.length; length += 1) {
    const parent = names.slice(0, length).join("/");
    if (checked.has(parent)) continue;
    const stats = await lstat(join(root, parent)).catch(gone(path));
    if (!stats.isDirectory()) {
      throw refused(path, `${JSON.stringify(parent)} above it is not a directory; links are not followed`);
    }
    checked.add(parent);
  }
};

const readOne = async (root: string, path: string): Promise<DiskFile> => {
  const target = join(root, path);
  const stats = await lstat(target).catch(gone(path));
  if (stats.isSymbolicLink()) {
    return { path, mode: "120000", bytes: await readlink(target, { encoding: "buffer" }).catch(gone(path)) };
  }
  if (stats.isDirectory())
    throw refused(path, "it is a directory (a submodule?); name its files, or leave it out");
  if (!stats.isFile()) throw refused(path, "it is neither a file nor a symbolic link; leave it out");
  // Non-blocking and unfollowed: it may have become a pipe or a link since.
  const flags = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK;
  const handle = await open(target, flags).catch(gone(path));
  try {
    const opened = await handle.stat();
    if (!opened.isFile()) throw refused(path, "it is neither a file nor a symbolic link; leave it out");
    if (opened.size > maxFileSizeBytes) throw tooLarge(path, opened.size);
    const bytes = await handle.readFile();
    if (bytes.byteLength > maxFileSizeBytes) throw tooLarge(path, bytes.byteLength);
    return { path, mode: (opened.mode & 0o100) === 0 ? "100644" : "100755", bytes };
  } finally {
    await handle.close();
  }
};

const refused = (path: string, reason: string, cause?: unknown): ValidationError =>
  new ValidationError({
    field: "path",
    code: "path_refused",
    message: `The file ${JSON.stringify(path)} cannot be taken into a tree: ${reason}.`,
    details: { path },
    cause,
  });

const tooLarge = (path: string, sizeBytes: number): ValidationError =>
  new ValidationError({
    field: "path",
    code: "file_too_large",
    message: `The file ${JSON.stringify(path)} has ${sizeBytes} bytes; a file may have up to ${maxFileSizeBytes}. Leave it out.`,
    details: { path, sizeBytes, limit: maxFileSizeBytes },
  });

const gone =
  (path: string) =>
  (error: unknown): never => {
    const code = error instanceof Error && "code" in error ? error.code : undefined;
    if (code !== "ENOENT" && code !== "ENOTDIR") throw error;
    throw new NotFoundError({
      code: "path_not_found",
      message: `The file ${JSON.stringify(path)} is not there; list the directory again.`,
      details: { path },
      cause: error,
    });
  };
