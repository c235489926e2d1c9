import { InfrastructureError, type PlanledgerError, ValidationError } from "../errors/planledger-error.ts";

/** The `code` of a file system's error (`ENOENT`), or `undefined` for anything else. */
export const diskErrorCode = (error: unknown): string | undefined =>
  error instanceof Error && "code" in error && typeof error.code === "string" ? error.code : undefined;

/** True for "there is nothing": the path is absent, or below something that is no directory. */
export const isAbsent = (error: unknown): boolean => {
  const code = diskErrorCode(error);
  return code === "ENOENT" || code === "ENOTDIR";
};

/** Whatever else a file system says: permissions are the tree's fault, a full or broken disk the machine's. */
export const diskFault = (path: string, cause: unknown): PlanledgerError => {
  const code = diskErrorCode(cause) ?? "an unknown error";
  const message = `The workspace directory cannot be used at ${JSON.stringify(path === "" ? "." : path)}: ${code}.`;
  if (code === "EACCES" || code === "EPERM") {
    return new ValidationError({ field: "path", code: "path_refused", message, details: { path }, cause });
  }
  return new InfrastructureError({ message, cause });
};
