import { ValidationError } from "../errors/planledger-error.ts";
import { ancestorsOf } from "./ancestors.ts";
import type { WorkspaceName, WorkspaceWrite } from "./workspace.ts";

/**
 * Why nothing can be put at this path as the tree stands: a link or a file among the parents, a directory in the way of a
 * file, a file or link in the way of a directory. `ToolWorkspace` refuses these first, in a tool's words; a workspace must
 * never do them whoever asks.
 */
export const blockedWrite = async (
  path: string,
  value: WorkspaceWrite,
  kindAt: (path: string) => Promise<WorkspaceName["kind"] | undefined>,
): Promise<ValidationError | undefined> => {
  const refuse = (code: "symlink_refused" | "not_a_directory" | "is_a_directory", message: string) =>
    new ValidationError({ field: "path", code, message });
  for (const ancestor of ancestorsOf(path)) {
    const kind = await kindAt(ancestor);
    if (kind === undefined) return undefined;
    if (kind === "symlink")
      return refuse("symlink_refused", `${ancestor} is a symbolic link; links are not followed.`);
    if (kind === "file")
      return refuse("not_a_directory", `${ancestor} is a file; nothing can stand below it.`);
  }
  const kind = await kindAt(path);
  if (value.kind === "file" && kind === "directory") {
    return refuse("is_a_directory", `${path} is a directory; remove it before a file takes its place.`);
  }
  if (value.kind === "directory" && (kind === "file" || kind === "symlink")) {
    return refuse("not_a_directory", `${path} is a ${kind}; remove it before a directory takes its place.`);
  }
  return undefined;
};
