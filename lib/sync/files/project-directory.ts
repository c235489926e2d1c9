import { posix } from "node:path";
import { ValidationError } from "../../errors/planledger-error.ts";
import type { Members } from "./item-document.ts";

/** Where a project's files stand, relative to the working copy's root: `.` unless the file says another place below it. */
export function projectDirectory({ directory = "." }: Members): string {
  const refuse = (what: string) =>
    new ValidationError({
      field: "directory",
      message: `directory ${what}; it is a path below the directory that holds projects/, with / between its parts, such as . or app.`,
    });
  if (typeof directory !== "string" || directory === "") throw refuse("must be a text");
  if (directory.includes("\\") || directory.includes("\0")) throw refuse("must not hold a backslash or NUL");
  if (posix.isAbsolute(directory) || /^[A-Za-z]:/.test(directory)) throw refuse("must not be absolute");
  const normal = posix.normalize(directory).replace(/\/$/, "");
  if (normal === ".." || normal.startsWith("../")) throw refuse(`${JSON.stringify(directory)} leads outside`);
  const parts = normal.split("/").map((part) => part.toLowerCase());
  if (parts.some((part) => part === ".git" || part === ".planledger")) {
    throw refuse(`${JSON.stringify(directory)} leads into files that are no project's`);
  }
  return normal;
}
