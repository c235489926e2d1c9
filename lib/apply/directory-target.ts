import { dirname, join } from "node:path";
import { contentState } from "../content/content-state.ts";
import { ConflictError, PlanledgerError } from "../errors/planledger-error.ts";
import { checkRenames } from "./check-renames.ts";
import type { DirectoryFiles } from "./directory-files.ts";
import { type DirectoryJournal, decodeJournal, encodeJournal } from "./directory-journal.ts";
import { foundOnDisk, isOtherNode, isSameState, nodeMode } from "./found-on-disk.ts";
import type { ApplyConflict, NetChange } from "./net-change.ts";

export interface DirectoryTargetOptions {
  /** Absolute path of the directory. */
  readonly root: string;
  readonly files: DirectoryFiles;
  /** Of these paths, those with edits that version control does not hold; `[]` outside of version control. */
  readonly uncommitted: (paths: readonly string[]) => Promise<readonly string[]>;
}

export interface DirectoryApply {
  readonly digest: string;
  readonly changes: readonly NetChange[];
  readonly content: (sha256: string) => Promise<Uint8Array>;
}

export type DirectoryApplied =
  | { readonly status: "applied"; readonly changed: readonly string[] }
  | { readonly status: "conflicts"; readonly conflicts: readonly ApplyConflict[] };

/**
 * Applies a changeset to a directory: all of it or nothing. New content is staged and synced under `.planledger/apply`, then
 * a journal is renamed into place (the point of no return), then each path is replaced by a rename or removed. Nothing is
 * written through a symbolic link, and paths that the changeset does not name are left alone. `recover` comes first in every
 * command: it finishes what a journal promises and drops what was only staged.
 */
export function directoryTarget({ root, files, uncommitted }: DirectoryTargetOptions) {
  const own = join(root, ".planledger");
  const room = join(own, "apply");
  const journalPath = join(room, "journal.json");
  const staged = (index: number): string => join(room, `${index}`);

  const found = (path: string): Promise<ApplyConflict["found"]> => foundOnDisk(files, root, path);

  async function check(changes: readonly NetChange[]): Promise<readonly ApplyConflict[]> {
    const conflicts: ApplyConflict[] = [];
    const removed = new Set(changes.filter((change) => change.after === null).map((change) => change.path));
    for (const { path, before, after } of changes) {
      const now = await found(path);
      if (isSameState(now, before)) continue;
      const makesRoom =
        before === null &&
        after !== null &&
        isOtherNode(now) &&
        (now.kind === "below_file" || now.kind === "below_symlink"
          ? ancestors(path).some((parent) => removed.has(parent))
          : now.kind === "directory" && (await onlyHolds(path, removed)));
      if (!makesRoom) conflicts.push({ path, expected: before, found: now, reason: "moved" });
    }
    const listed = new Set(conflicts.map((conflict) => conflict.path));
    for (const path of await uncommitted(changes.map((change) => change.path))) {
      const change = changes.find((one) => one.path === path);
      if (change === undefined || listed.has(path)) continue;
      conflicts.push({ path, expected: change.before, found: await found(path), reason: "uncommitted" });
    }
    return conflicts;
  }

  /** True when a directory holds nothing but files that the changeset removes, so that a file can take its place. */
  async function onlyHolds(path: string, removed: ReadonlySet<string>): Promise<boolean> {
    for (const name of await files.list(join(root, path))) {
      const child = `${path}/${name}`;
      const node = await files.lookup(join(root, child));
      if (node?.kind === "directory" ? !(await onlyHolds(child, removed)) : !removed.has(child)) return false;
    }
    return true;
  }

  async function makeRoom(): Promise<void> {
    for (const directory of [own, room]) {
      const node = await files.lookup(directory);
      if (node === undefined) await files.makeDirectory(directory);
      else if (node.kind !== "directory") {
        throw new ConflictError({
          code: "symlink_refused",
          message: `${directory} must be a directory of its own, not a ${node.kind}; remove what stands there`,
        });
      }
    }
    const ignore = join(own, ".gitignore");
    if ((await files.lookup(ignore)) === undefined) {
      await files.writeFile(ignore, Buffer.from("*\n"), { executable: false });
    }
  }

  async function stage(apply: DirectoryApply): Promise<void> {
    for (const [index, { path, after }] of apply.changes.entries()) {
      if (after === null) continue;
      const bytes = await apply.content(after.sha256);
      const state = contentState(bytes, after.mode);
      if (state.sha256 !== after.sha256) {
        throw new PlanledgerError({
          code: "content_mismatch",
          message: `content of ${path} is not what its hash says`,
        });
      }
      await files.removeFile(staged(index));
      if (after.mode === "120000") await files.makeSymlink(staged(index), bytes);
      else await files.writeFile(staged(index), bytes, { executable: after.mode === "100755" });
    }
    const journal: DirectoryJournal = { v: 1, digest: apply.digest, changes: apply.changes };
    await files.writeFile(`${journalPath}.new`, encodeJournal(journal), { executable: false });
    await files.syncDirectory(room);
    await files.rename(`${journalPath}.new`, journalPath);
    await files.syncDirectory(room);
    await files.syncDirectory(own);
    await files.syncDirectory(root);
  }

  /** A journal promises what was staged with it: content that is gone, or another, would be found out too late. */
  async function checkStaged(journal: DirectoryJournal): Promise<void> {
    for (const [index, { path, after }] of journal.changes.entries()) {
      if (after === null || isSameState(await found(path), after)) continue;
      const node = await files.lookup(staged(index));
      if (node?.kind === "file" || node?.kind === "symlink") {
        const bytes = await files.read(staged(index), node.kind);
        if (isSameState(contentState(bytes, nodeMode(node)), after)) continue;
      }
      throw new PlanledgerError({
        code: "content_mismatch",
        message:
          `an apply to ${root} was interrupted, and ${staged(index)} is not (any more) what ${path} was to become; ` +
          `nothing more was changed; remove ${room} to give the apply up, and put back what it changed before`,
        details: { path, staged: staged(index) },
      });
    }
  }

  /** Carries out what the journal promises; every step may have been done before. */
  async function finish(journal: DirectoryJournal): Promise<void> {
    const touched = new Set<string>();
    const order = [...journal.changes.entries()];
    for (const [, { path, before, after }] of order) {
      const now = await found(path);
      if (isSameState(now, after) || isSameState(now, before)) continue;
      // Between two kinds of node the path may be on its way: a directory to be emptied, a parent not there yet.
      if (isOtherNode(now) && (before === null || after === null)) continue;
      if (now === null && after !== null) continue;
      throw new ConflictError({
        code: "target_moved",
        message:
          `an apply to ${root} was interrupted, and ${path} was edited since; ` +
          `put it back as it was before or after the apply (see ${journalPath}), or remove ${room} to give the apply up`,
        details: { path, expected: before, found: now },
      });
    }
    for (const [, { path, after }] of order) {
      if (after !== null) continue;
      const now = await found(path);
      if (now === null || isOtherNode(now)) continue;
      await files.removeFile(join(root, path));
      touched.add(dirname(path));
    }
    for (const [, { path, after }] of order) {
      if (after === null) await removeEmptyParents(path, touched);
    }
    for (const [index, { path, after }] of order) {
      if (after === null || isSameState(await found(path), after)) continue;
      await makeParents(path, touched);
      const at = join(root, path);
      if ((await files.lookup(at))?.kind === "directory") await removeEmptyTree(path);
      await files.rename(staged(index), at);
      touched.add(dirname(path));
    }
    for (const parent of touched) {
      const at = join(root, parent);
      if ((await files.lookup(at))?.kind === "directory") await files.syncDirectory(at);
    }
    await clear();
  }

  async function removeEmptyParents(path: string, touched: Set<string>): Promise<void> {
    for (const parent of ancestors(path).reverse()) {
      if ((await files.lookup(join(root, parent)))?.kind !== "directory") return;
      if (!(await files.removeDirectory(join(root, parent)))) return;
      touched.delete(parent);
      touched.add(dirname(parent));
    }
  }

  async function makeParents(path: string, touched: Set<string>): Promise<void> {
    for (const parent of ancestors(path)) {
      const node = await files.lookup(join(root, parent));
      if (node?.kind === "directory") continue;
      if (node !== undefined) {
        throw new ConflictError({
          code: "target_moved",
          message: `${parent} must be a directory for ${path}, but a ${node.kind} stands there`,
          details: { path: parent },
        });
      }
      await files.makeDirectory(join(root, parent));
      touched.add(dirname(parent));
    }
  }

  async function removeEmptyTree(path: string): Promise<void> {
    for (const name of await files.list(join(root, path))) await removeEmptyTree(`${path}/${name}`);
    await files.removeDirectory(join(root, path));
  }

  async function hasRoom(): Promise<boolean> {
    return (
      (await files.lookup(own))?.kind === "directory" && (await files.lookup(room))?.kind === "directory"
    );
  }

  /** The journal goes first: without it, what is left is only staged. */
  async function clear(): Promise<void> {
    if (!(await hasRoom())) return;
    await files.removeFile(journalPath);
    await files.syncDirectory(room);
    for (const name of await files.list(room)) await files.removeFile(join(room, name));
    await files.removeDirectory(room);
  }

  return {
    /** Finishes or drops an apply that a crash interrupted; says which changeset it was when it finished one. */
    async recover(): Promise<{ readonly finished?: string }> {
      if (!(await hasRoom()) || (await files.lookup(journalPath))?.kind !== "file") {
        await clear();
        return {};
      }
      const journal = decodeJournal(await files.read(journalPath, "file"), journalPath);
      await checkStaged(journal);
      await finish(journal);
      return { finished: journal.digest };
    },

    /** Call `recover` first. Conflicts change nothing. */
    async apply(apply: DirectoryApply): Promise<DirectoryApplied> {
      const conflicts = await check(apply.changes);
      if (conflicts.length > 0) return { status: "conflicts", conflicts };
      if (apply.changes.length === 0) return { status: "applied", changed: [] };
      await makeRoom();
      await checkRenames(files, { root, room }, apply.changes);
      await stage(apply);
      await finish({ v: 1, digest: apply.digest, changes: apply.changes });
      return { status: "applied", changed: apply.changes.map((change) => change.path) };
    },
  };
}

function ancestors(path: string): string[] {
  const segments = path.split("/");
  return segments.slice(1).map((_, depth) => segments.slice(0, depth + 1).join("/"));
}
