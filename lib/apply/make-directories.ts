import { mkdir, stat } from "node:fs/promises";
import { dirname } from "node:path";
import { ConflictError } from "../errors/planledger-error.ts";

/**
 * Makes a directory, and those above it that are not there. Where that is refused it says so: `mkdir` with `recursive` tries
 * for ever below a directory that says of its children that they are not there, and takes none (on Linux `/proc`).
 */
export async function makeDirectories(path: string, options: { readonly mode?: number } = {}): Promise<void> {
  const missing: string[] = [];
  for (let at = path; ; at = dirname(at)) {
    const found = await standing(at);
    if (found?.isDirectory() === true) break;
    if (found !== undefined) throw refused(path, `${at} is not a directory`);
    missing.push(at);
    if (dirname(at) === at) break;
  }
  for (const one of missing.reverse()) {
    await mkdir(one, options).catch((error: unknown) => {
      // Somebody else was first.
      if (codeOf(error) !== "EEXIST") throw refused(path, error instanceof Error ? error.message : "", error);
    });
  }
}

const standing = (path: string) =>
  stat(path).catch((error: unknown) => {
    if (codeOf(error) === "ENOENT" || codeOf(error) === "ENOTDIR") return undefined;
    throw refused(path, error instanceof Error ? error.message : "", error);
  });

const codeOf = (error: unknown): unknown =>
  error instanceof Error && "code" in error ? error.code : undefined;

const refused = (path: string, why: string, cause?: unknown): ConflictError =>
  new ConflictError({
    code: "path_refused",
    message: `The directory ${path} cannot be made (${why}). Choose another one.`,
    details: { path },
    cause,
  });
