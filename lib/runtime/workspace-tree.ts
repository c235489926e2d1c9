import { contentState } from "../content/content-state.ts";
import { buildTree } from "../tree/build-tree.ts";
import type { DirectoryRef } from "../tree/directory.ts";
import { memoryTreeStore } from "../tree/memory-tree-store.ts";
import type { TreeFile } from "../tree/walk-tree.ts";
import type { Workspace } from "../workspace/workspace.ts";

/**
 * The tree of everything that stands in a workspace now, as the service would pin it as a base: the same files give the same
 * digest in process and there. Reads every file once.
 */
export function workspaceTree(workspace: Workspace): Promise<DirectoryRef> {
  return buildTree(memoryTreeStore(), filesOf(workspace, ""));
}

async function* filesOf(workspace: Workspace, directory: string): AsyncGenerator<TreeFile, void, undefined> {
  for (const { name, kind } of await workspace.list(directory)) {
    const path = directory === "" ? name : `${directory}/${name}`;
    if (kind === "directory") {
      yield* filesOf(workspace, path);
    } else {
      const node = await workspace.lookup(path);
      const mode = node?.kind === "file" ? node.mode : "120000";
      yield { path, file: contentState(await workspace.read(path), mode) };
    }
  }
}
