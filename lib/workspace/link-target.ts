import { nameRefusal, refusalReason } from "../tree/path-rules.ts";

/**
 * Why a symbolic link at this path may not point there, or `undefined` when it may. A target is relative and stays inside
 * the tree; `..` stands only at its beginning, since behind a name that is itself a link the kernel would count it from
 * somewhere else. Its other segments are names that a tree may hold, so `.git` is refused in every spelling of it. So nothing
 * that a run makes points out of a project, wherever the project is checked out.
 */
export const linkTargetRefusal = (linkPath: string, target: string): string | undefined => {
  if (target === "") return "it is empty";
  if (target.includes("\0")) return "it holds a NUL character";
  if (!target.isWellFormed()) return "it holds a lone surrogate and has no UTF-8 form";
  if (Buffer.byteLength(target) > maxTargetBytes) return `it is longer than ${maxTargetBytes} bytes`;
  if (target.includes("\\")) return "it holds a backslash; segments are separated by /";
  if (target.startsWith("/") || /^[A-Za-z]:/.test(target)) {
    return "it is absolute; name it relative to the directory that holds the link";
  }
  let depth = linkPath.split("/").length - 1;
  let named = false;
  for (const segment of target.split("/")) {
    if (segment === "" || segment === ".") continue;
    if (segment !== "..") {
      const refusal = nameRefusal(segment);
      if (refusal !== undefined) return refusalReason(refusal);
      named = true;
    } else if (named) {
      return "it has .. behind a name; put every .. at its beginning";
    } else {
      depth -= 1;
      if (depth < 0) return "it leads out of the tree";
    }
  }
  return undefined;
};

const maxTargetBytes = 4095;
