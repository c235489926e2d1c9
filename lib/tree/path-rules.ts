import { ValidationError } from "../errors/planledger-error.ts";

export const maxPathBytes = 1024;
export const maxNameBytes = 255;

export type PathRefusal =
  | "empty"
  | "absolute"
  | "nul"
  | "ill_formed"
  | "backslash"
  | "empty_segment"
  | "dot_segment"
  | "drive_letter"
  | "git_directory"
  | "path_too_long"
  | "name_too_long";

const explanations: Readonly<Record<PathRefusal, string>> = {
  empty: "it is empty; name a file relative to the root of its resource",
  absolute: "it is absolute; paths are relative to the root of their resource, without a leading /",
  nul: "it holds a NUL character",
  ill_formed: "it holds a lone surrogate and has no UTF-8 form",
  backslash: "it holds a backslash; segments are separated by /",
  empty_segment: "it has an empty segment (// or a trailing /)",
  dot_segment: "it has a . or .. segment; spell the path out from the root of its resource",
  drive_letter: "a segment begins with a drive letter",
  git_directory:
    "a segment is .git, or a spelling that some file system takes for .git; a tree cannot hold it",
  path_too_long: `it is longer than ${maxPathBytes} bytes of UTF-8`,
  name_too_long: `a segment is longer than ${maxNameBytes} bytes of UTF-8`,
};

/**
 * Throws a `ValidationError` (`path_refused`, `details.reason` a `PathRefusal`) unless this is the path of a file in a
 * tree: relative, `/`-separated, valid in git on every file system. Spaces, quotes, tabs, newlines and non-ASCII are fine.
 */
export const checkPath = (path: string, field = "path"): void => {
  const refusal = pathRefusal(path);
  if (refusal !== undefined) throw refused({ what: path, refusal, field });
};

/** As `checkPath`, for a single segment. */
export const checkName = (name: string, field = "name"): void => {
  const refusal = name.includes("/") ? "empty_segment" : pathRefusal(name);
  if (refusal !== undefined) throw refused({ what: name, refusal, field });
};

/** A refusal in words, to follow a colon. */
export const refusalReason = (refusal: PathRefusal): string => explanations[refusal];

/** Why a path is refused, or `undefined` when it is fine. */
export const pathRefusal = (path: string): PathRefusal | undefined => {
  if (path === "") return "empty";
  if (path.includes("\0")) return "nul";
  if (!path.isWellFormed()) return "ill_formed";
  if (path.includes("\\")) return "backslash";
  if (path.startsWith("/")) return "absolute";
  if (Buffer.byteLength(path) > maxPathBytes) return "path_too_long";
  for (const name of path.split("/")) {
    const refusal = nameRefusal(name);
    if (refusal !== undefined) return refusal;
  }
  return undefined;
};

/** As `pathRefusal`, for a single segment. */
export const nameRefusal = (name: string): PathRefusal | undefined => {
  if (name === "") return "empty_segment";
  // Win32 drops trailing spaces.
  if (/^\.\.? *$/.test(name)) return "dot_segment";
  if (/^[A-Za-z]:/.test(name)) return "drive_letter";
  if (isGitDirectory(name)) return "git_directory";
  if (Buffer.byteLength(name) > maxNameBytes) return "name_too_long";
  return undefined;
};

/**
 * Would some file system open `.git` under this name? HFS+, APFS and case-folding ext4 ignore case and default-ignorable
 * code points; NTFS ignores case, trailing dots and spaces, streams behind a colon, and has short names (`git~1`,
 * `gi0a1b~1` after four of those).
 */
const isGitDirectory = (name: string): boolean => {
  // Every folded spelling begins so; most names are done here.
  if (!/^[.gG\P{ASCII}]/u.test(name)) return false;
  const [unstreamed = ""] = name.replaceAll(/\p{Default_Ignorable_Code_Point}/gu, "").split(":", 1);
  const folded = unstreamed.replace(/[. ]+$/, "").toLowerCase();
  return /^(?:\.git|git~\d+|gi[0-9a-f]{4}~\d+)$/.test(folded);
};

const refused = (refusal: {
  readonly what: string;
  readonly refusal: PathRefusal;
  readonly field: string;
}): ValidationError => {
  const shown = JSON.stringify(refusal.what.length > 200 ? `${refusal.what.slice(0, 200)}…` : refusal.what);
  return new ValidationError({
    field: refusal.field,
    code: "path_refused",
    message: `The path ${shown} is refused: ${explanations[refusal.refusal]}.`,
    details: { reason: refusal.refusal },
  });
};
