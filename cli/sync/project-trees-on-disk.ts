import { join } from "node:path";
import { treeDirectories } from "#lib/client/tree-directories.ts";
import type { SourceFile } from "#lib/client/upload-tree.ts";
import { contentState } from "#lib/content/content-state.ts";
import { ConflictError, ValidationError } from "#lib/errors/planledger-error.ts";
import type { ProjectTrees } from "#lib/sync/files/project-trees.ts";
import { checkPath } from "#lib/tree/path-rules.ts";
import { sourceTree } from "../files/source-tree.ts";
import { UsageError } from "../usage-error.ts";

/** Files that are items of a sync themselves, which an id of the server is written into; they are in no project's tree. */
const definition = /^(?:(?:actions|tools|projects)\/[^/]+\.ya?ml|skills\/[^/]+\/SKILL\.md)$/i;

/** The files of a project's directory, as `plan execute --project` takes them, without the definitions of the working copy. */
export async function projectFiles(root: string, directory: string): Promise<readonly SourceFile[]> {
  const prefix = directory === "." ? "" : `${directory}/`;
  try {
    const { files } = await sourceTree(join(root, directory));
    return files.filter(({ path }) => !definition.test(`${prefix}${path}`));
  } catch (error) {
    if (!(error instanceof UsageError)) throw error;
    throw new ValidationError({ field: "directory", message: `${error.message}.`, cause: error });
  }
}

/** File trees of projects below a working copy's root. */
export const projectTreesOnDisk = (root: string): ProjectTrees => ({
  async hash(directory) {
    const hashed = [];
    for (const source of await projectFiles(root, directory)) {
      checkPath(source.path);
      hashed.push({ path: source.path, file: contentState(await source.read(), source.mode) });
    }
    return (await treeDirectories(hashed)).root.sha256;
  },
  async apply({ directory }) {
    throw new ConflictError({
      code: "target_moved",
      message: `The project's files on the service are others than those in ${directory}, and a sync does not bring them here. Take them with \`planledger project export\`, then sync again.`,
      details: { directory },
    });
  },
});
