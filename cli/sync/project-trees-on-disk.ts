import { lstat } from "node:fs/promises";
import { join } from "node:path";
import { directoryTarget } from "#lib/apply/directory-target.ts";
import { makeDirectories } from "#lib/apply/make-directories.ts";
import type { NetChange } from "#lib/apply/net-change.ts";
import { nodeDirectoryFiles } from "#lib/apply/node-directory-files.ts";
import type { PlanledgerClient } from "#lib/client/planledger-client.ts";
import { type TreeDirectories, treeDirectories } from "#lib/client/tree-directories.ts";
import { contentState } from "#lib/content/content-state.ts";
import { ConflictError } from "#lib/errors/planledger-error.ts";
import type { DefinitionChange, ProjectTrees } from "#lib/sync/files/project-trees.ts";
import { workingFiles } from "#lib/sync/files/working-files.ts";
import { compareTrees } from "#lib/tree/compare-trees.ts";
import { directoryRef } from "#lib/tree/directory-ref.ts";
import { emptyTree } from "#lib/tree/empty-tree.ts";
import type { FileMode } from "#lib/tree/file-state.ts";
import { checkPath } from "#lib/tree/path-rules.ts";
import type { TreeDifference } from "#lib/tree/tree-difference.ts";
import { contentAhead } from "../files/content-ahead.ts";
import { recoverDirectory } from "../files/recover-directory.ts";
import { shownPath } from "../print-safely.ts";
import type { Session } from "../session.ts";
import { fromRoot, isDefinition, projectFiles } from "./project-files.ts";

/**
 * File trees of projects below a working copy's root. A pulled tree and its definition are one apply to the root: under a
 * journal, which the next sync finishes. What is not in git's hands is no conflict by that: it was hashed as the base, which
 * the service has, or is copied first.
 */
export function projectTreesOnDisk(order: {
  readonly root: string;
  readonly session: Session;
  readonly client: Pick<PlanledgerClient, "content">;
  readonly dryRun: boolean;
}): ProjectTrees {
  const { root, session, client } = order;
  const files = nodeDirectoryFiles();
  const copies = workingFiles({ root, files });

  async function treeOf(directory: string): Promise<TreeDirectories> {
    if (!order.dryRun) await recoverDirectory(session, join(root, directory));
    const hashed = [];
    for (const source of await projectFiles(root, directory)) {
      session.signal.throwIfAborted();
      checkPath(source.path);
      hashed.push({ path: source.path, file: contentState(await source.read(), source.mode) });
    }
    return treeDirectories(hashed);
  }

  const standsThere = (directory: string): Promise<boolean> =>
    lstat(join(root, directory)).then(
      () => true,
      () => false,
    );

  async function differences(directory: string, { from, to }: { from: string | undefined; to: string }) {
    const there = await standsThere(directory);
    const now = there ? await treeOf(directory) : { root: emptyTree, directories: [] };
    if (now.root.sha256 !== (from ?? emptyTree.sha256)) {
      throw new ConflictError({
        code: "target_moved",
        message:
          from === undefined
            ? `${directory} holds other files than the project's, which would be written there; move them away, or name another directory in a file of the project's own.`
            : `The files in ${directory} changed while they were being synced; sync again.`,
        details: { directory },
      });
    }
    const here = new Map(now.directories.map((one) => [directoryRef(one).sha256, one]));
    const store = {
      get: async (sha256: string) => here.get(sha256) ?? client.content.directory(sha256, session.signal),
      put: () => Promise.reject(new Error("a pull writes no directory")),
      missing: async () => [],
    };
    return compareTrees(store, now.root.sha256, to);
  }

  async function keepCopies(into: string, order: { directory: string; changed: readonly TreeDifference[] }) {
    for (const { path, before } of order.changed) {
      if (before === undefined) continue;
      const place = fromRoot(order.directory, path);
      const kind = before.mode === "120000" ? "symlink" : "file";
      await copies.write(`${into}/${place}`, await files.read(join(root, place), kind));
    }
  }

  return {
    hash: async (directory) => (await treeOf(directory)).root.sha256,
    async apply({ directory, from, to, definition, keepIn }) {
      const changed = await differences(directory, { from, to });
      for (const { path, after } of changed) checkPulled(directory, { path, after });
      if (keepIn !== undefined) await keepCopies(keepIn, { directory, changed });
      const changes: NetChange[] = changed.map(({ path, before, after }) => ({
        path: fromRoot(directory, path),
        before: before ?? null,
        after: after ?? null,
      }));
      const defined = await definitionChange(root, definition);
      const target = directoryTarget({ root, files, uncommitted: async () => [] });
      const applied = await target.apply({
        digest: to,
        changes: [...changes, defined],
        content: contentAhead([...changes, defined], async (sha256) =>
          sha256 === defined.after?.sha256 ? definition.after : client.content.get(sha256, session.signal),
        ),
      });
      if (applied.status === "conflicts") throw inTheWay(applied.conflicts.map(({ path }) => path));
      await makeDirectories(join(root, directory));
      if ((await treeOf(directory)).root.sha256 === to) return;
      throw new ConflictError({
        code: "target_moved",
        message: `The service's files were written to ${directory}, but read again they are others: .gitignore leaves out some of them here. Take those out of the project or of .gitignore, then sync with a policy.`,
        details: { directory },
      });
    },
  };
}

async function definitionChange(root: string, { path, before, after }: DefinitionChange): Promise<NetChange> {
  const found = await lstat(join(root, path)).catch(() => undefined);
  const mode: FileMode = found !== undefined && (found.mode & 0o100) !== 0 ? "100755" : "100644";
  return {
    path,
    before: before === undefined ? null : contentState(before, mode),
    after: contentState(after, mode),
  };
}

/** What a sync could write and then not see as the project's. */
function checkPulled(directory: string, { path, after }: Pick<TreeDifference, "path" | "after">): void {
  checkPath(path);
  const place = fromRoot(directory, path);
  const own = place.split("/").some((part) => part.toLowerCase() === ".planledger");
  if (after === undefined || (!own && !isDefinition(place))) return;
  throw new ConflictError({
    code: "path_refused",
    message: `The project's tree on the service holds ${shownPath(path)}, which ${own ? "is Planledger's own here" : "is an item's file of its own here"}; nothing was written. Take it out of the project there, or give the project another directory.`,
    details: { path: place },
  });
}

const inTheWay = (paths: readonly string[]): ConflictError => {
  const shown = paths.slice(0, 10).map(shownPath).join(", ");
  const more = paths.length > 10 ? ` and ${paths.length - 10} more` : "";
  return new ConflictError({
    code: "target_moved",
    message: `Nothing was written, since other things stand in the way of the service's files: ${shown}${more}. Move them away, and sync again.`,
    details: { paths: paths.slice(0, 100) },
  });
};
