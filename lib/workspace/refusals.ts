import type { ErrorCode } from "../errors/error-code.ts";
import { ToolError } from "../tools/tool-error.ts";
import type { WorkspaceNode } from "./workspace.ts";

/** A path as messages show it: quoted, and cut when it is very long. */
export const quoted = (path: string): string =>
  JSON.stringify(path.length > 300 ? `${path.slice(0, 300)}…` : path);

export const refusal = (code: ErrorCode, message: string, path: string): ToolError =>
  new ToolError({ code, message, details: { path } });

export const pathNotFound = (path: string, resource: string): ToolError =>
  refusal("path_not_found", `There is nothing at ${quoted(path)} in the resource ${quoted(resource)}.`, path);

export const pathExists = (path: string, node: WorkspaceNode): ToolError =>
  refusal(
    "path_exists",
    `${quoted(path)} already exists (a ${nodeName(node)}); choose another path, or delete it first.`,
    path,
  );

/** `link` is `path` itself, or one of the directories above it. */
export const symlinkRefused = (link: string, path: string): ToolError =>
  new ToolError({
    code: "symlink_refused",
    message:
      link === path
        ? `${quoted(path)} is a symbolic link, which no tool follows; work on the file that it points to, or on the link itself with move_file, delete_file or get_file_info.`
        : `${quoted(link)}, above ${quoted(path)}, is a symbolic link, which no tool follows; name the real path.`,
    details: { path, link },
  });

/** `file` stands above `path`. */
export const belowFile = (file: string, path: string): ToolError =>
  new ToolError({
    code: "not_a_directory",
    message: `${quoted(file)} is a file, so nothing can stand at ${quoted(path)} below it.`,
    details: { path, file },
  });

export const nodeName = (node: WorkspaceNode): string => {
  switch (node.kind) {
    case "file":
      return "file";
    case "symlink":
      return "symbolic link";
    case "directory":
      return "directory";
    default:
      return node satisfies never;
  }
};
