import { posix } from "node:path";
import type { ResourceKind } from "../../resource/resource-store.ts";
import type { WorkingFiles } from "./working-files.ts";

/** Where the items of a kind stand: `actions/*.yaml`, `skills/NAME/SKILL.md`. Names that begin with a dot are left out. */
export async function itemPaths(
  kind: ResourceKind,
  files: Pick<WorkingFiles, "list" | "exists">,
): Promise<readonly string[]> {
  const names = (await files.list(kind)).filter((name) => !name.startsWith("."));
  if (kind !== "skills") {
    return names.filter((name) => /\.ya?ml$/i.test(name)).map((name) => `${kind}/${name}`);
  }
  const paths: string[] = [];
  for (const name of names) {
    const path = `skills/${name}/SKILL.md`;
    if (await holds(files, path)) paths.push(path);
  }
  return paths;
}

/** A file beside the folders of skills is no skill; a link to a folder is told as the fault that it is. */
async function holds(files: Pick<WorkingFiles, "exists">, path: string): Promise<boolean> {
  try {
    return await files.exists(path);
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "not_a_directory") return false;
    if (error instanceof Error && "code" in error && error.code === "symlink_refused") return true;
    throw error;
  }
}

/** The folder that a skill stands in, which is its name where it says no other. */
export const folderOf = (path: string): string => posix.basename(posix.dirname(path));
