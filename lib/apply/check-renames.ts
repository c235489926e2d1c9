import { join } from "node:path";
import { ConflictError } from "../errors/planledger-error.ts";
import type { DirectoryFiles, RenameObstacle } from "./directory-files.ts";
import type { NetChange } from "./net-change.ts";

const obstacles: Readonly<Record<RenameObstacle, string>> = {
  other_file_system: "is on another file system, so no file can be replaced there by a rename",
  not_writable: "cannot be written to: set its permissions",
};

/**
 * Throws `path_refused` when some change cannot be carried out by a rename from `room`: found after the point of no return, it
 * would leave half of a changeset behind, and no later command could finish it either.
 */
export async function checkRenames(
  files: Pick<DirectoryFiles, "lookup" | "renameObstacle">,
  place: { readonly root: string; readonly room: string },
  changes: readonly NetChange[],
): Promise<void> {
  const known = new Map<string, RenameObstacle | undefined>();
  for (const { path } of changes) {
    const directory = await standingParent(files, place.root, path);
    if (!known.has(directory)) known.set(directory, await files.renameObstacle(place.room, directory));
    const obstacle = known.get(directory);
    if (obstacle === undefined) continue;
    throw new ConflictError({
      code: "path_refused",
      message: `${directory} ${obstacles[obstacle]}, and the changeset touches ${JSON.stringify(path)}; nothing was changed`,
      details: { path, directory, reason: obstacle },
    });
  }
}

/** The deepest directory above a path that is there, no link followed. */
async function standingParent(
  files: Pick<DirectoryFiles, "lookup">,
  root: string,
  path: string,
): Promise<string> {
  let standing = root;
  for (const name of path.split("/").slice(0, -1)) {
    const next = join(standing, name);
    if ((await files.lookup(next))?.kind !== "directory") return standing;
    standing = next;
  }
  return standing;
}
