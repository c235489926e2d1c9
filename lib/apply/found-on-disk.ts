import { join } from "node:path";
import { contentState } from "../content/content-state.ts";
import type { FileMode, FileState } from "../tree/file-state.ts";
import type { DirectoryFiles, DiskNode } from "./directory-files.ts";
import type { ApplyConflict } from "./net-change.ts";

type Found = ApplyConflict["found"];

/** What stands at a path below `root`: a file's or link's state, or what is there in its place; no link is followed. */
export async function foundOnDisk(
  files: Pick<DirectoryFiles, "lookup" | "read">,
  root: string,
  path: string,
): Promise<Found> {
  const segments = path.split("/");
  for (let depth = 1; depth < segments.length; depth++) {
    const parent = await files.lookup(join(root, ...segments.slice(0, depth)));
    if (parent === undefined) return null;
    if (parent.kind === "symlink") return { kind: "below_symlink" };
    if (parent.kind !== "directory") return { kind: "below_file" };
  }
  const at = join(root, ...segments);
  const node = await files.lookup(at);
  if (node === undefined) return null;
  if (node.kind === "directory" || node.kind === "other") return { kind: node.kind };
  return contentState(await files.read(at, node.kind), nodeMode(node));
}

/** The mode that git gives a file or a link. */
export const nodeMode = (node: DiskNode): FileMode => {
  if (node.kind === "symlink") return "120000";
  return node.kind === "file" && node.executable ? "100755" : "100644";
};

/** Something that is no state of a path: a directory in its place, a file or a link above it. */
export const isOtherNode = (found: Found): found is Exclude<Found, FileState | null> =>
  found !== null && "kind" in found;

export function isSameState(found: Found, state: FileState | null): boolean {
  if (found === null || state === null) return found === state;
  return !isOtherNode(found) && found.sha256 === state.sha256 && found.mode === state.mode;
}
