import { join } from "node:path";
import type { SourceFile } from "#lib/client/upload-tree.ts";
import { ValidationError } from "#lib/errors/planledger-error.ts";
import { sourceTree } from "../files/source-tree.ts";
import { UsageError } from "../usage-error.ts";

/** Files that are items of a sync themselves, which an id of the server is written into; they are in no project's tree. */
const definition = /^(?:(?:actions|tools|projects)\/[^/]+\.ya?ml|skills\/[^/]+\/SKILL\.md)$/i;

/** By a path relative to the root of the working copy. */
export const isDefinition = (path: string): boolean => definition.test(path);

/** The path of a project's file from the root of the working copy on. */
export const fromRoot = (directory: string, path: string): string =>
  directory === "." ? path : `${directory}/${path}`;

/** The files of a project's directory, as `plan execute --project` takes them, without the definitions of the working copy. */
export async function projectFiles(root: string, directory: string): Promise<readonly SourceFile[]> {
  try {
    const { files } = await sourceTree(join(root, directory), directory);
    return files.filter(({ path }) => !isDefinition(fromRoot(directory, path)));
  } catch (error) {
    if (!(error instanceof UsageError)) throw error;
    throw new ValidationError({ field: "directory", message: `${error.message}.`, cause: error });
  }
}
