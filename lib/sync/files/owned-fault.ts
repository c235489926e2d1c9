import { ConflictError } from "../../errors/planledger-error.ts";

/** What a disk refuses about one path. Anything else (no space, a broken device) is about all of them. */
const ofOnePath = new Set([
  "EACCES",
  "EPERM",
  "EROFS",
  "ENAMETOOLONG",
  "ELOOP",
  "EISDIR",
  "EINVAL",
  "EILSEQ",
  "ETXTBSY",
]);

/** A refusal of the disk that concerns one item as a `ConflictError` that names the path; any other error as it is. */
export function ownedFault(error: unknown, path: string): unknown {
  if (!(error instanceof Error) || !("code" in error) || !ofOnePath.has(String(error.code))) return error;
  return new ConflictError({
    code: "path_refused",
    message: `${path}: the disk refuses it (${error.message}).`,
    details: { path },
    cause: error,
  });
}
