import { contentState } from "../content/content-state.ts";
import { NotFoundError } from "../errors/planledger-error.ts";
import { byteOrder } from "../tree/byte-order.ts";
import type { DirectoryEntry } from "../tree/directory.ts";
import { editTree } from "../tree/edit-tree.ts";
import type { FileState } from "../tree/file-state.ts";
import type { TreeDifference } from "../tree/tree-difference.ts";
import type { TreeStore } from "../tree/tree-store.ts";
import { ancestorsOf } from "./ancestors.ts";
import { type BaseDirectory, baseTree } from "./base-tree.ts";
import { sameFileState } from "./same-file-state.ts";
import { type ContentLookup, storedContent } from "./stored-content.ts";
import type { Workspace, WorkspaceName, WorkspaceNode } from "./workspace.ts";
import { type OverlayNode, workspaceOverlay } from "./workspace-overlay.ts";
import type { WorkspaceSnapshot } from "./workspace-snapshot.ts";
import { blockedWrite } from "./write-blocked.ts";

export interface StoredWorkspace extends Workspace {
  /** Paths that differ from the base tree, `null` where nothing stands any more: what a checkpoint keeps. Live. */
  overlay(): ReadonlyMap<string, FileState | null>;
  /** Content written here that the lookup may lack, by SHA-256; grows until `contentsStored`. */
  newContents(): ReadonlyMap<string, Uint8Array>;
  /** Says that the lookup now finds these (all, without an argument), so that they need not be held. */
  contentsStored(sha256s?: Iterable<string>): void;
}

/** What stands at a path: its state, or a directory as the base and the overlay have it. */
type Standing =
  | { readonly kind: "file"; readonly state: FileState }
  | {
      readonly kind: "directory";
      readonly base: BaseDirectory | undefined;
      readonly over: OverlayNode | undefined;
    };

/**
 * A workspace over a content-addressed base tree: the base is loaded only along the paths touched and never materialised,
 * changes lie in an overlay above it. Snapshots are positions in the overlay's log. A base without the content that it names
 * is an `InfrastructureError`.
 */
export const storedWorkspace = (options: {
  readonly trees: TreeStore;
  readonly content: ContentLookup;
  readonly baseTree: string;
  /** Changes over the base so far, as `overlay()` gave them. */
  readonly overlay?: ReadonlyMap<string, FileState | null>;
}): StoredWorkspace => {
  const base = baseTree(options.trees, options.baseTree);
  const overlay = workspaceOverlay(options.overlay ?? new Map());
  const written = new Map<string, Uint8Array>();

  const standsInBase = async (directory: BaseDirectory, over: OverlayNode | undefined): Promise<boolean> => {
    if (over === undefined || over.below.size === 0) return directory.size > 0;
    for (const [name, entry] of directory) {
      const child = over.below.get(name);
      if (entry.kind === "file" && child?.state === undefined) return true;
      if (entry.kind === "directory" && (await standing(entry, child))?.kind === "directory") return true;
    }
    return false;
  };

  /** What stands under one name, from the base's entry and the overlay's node of it. */
  const standing = async (
    entry: DirectoryEntry | undefined,
    over: OverlayNode | undefined,
  ): Promise<Standing | undefined> => {
    if (over?.state) return { kind: "file", state: over.state };
    if (entry?.kind === "file" && over?.state === undefined) return { kind: "file", state: entry.file };
    if (over !== undefined && (over.standing || over.fileCount > 0)) {
      const directory =
        entry?.kind === "directory" ? await base.directory(entry.directory.sha256) : undefined;
      return { kind: "directory", base: directory, over };
    }
    if (entry?.kind !== "directory") return undefined;
    const directory = await base.directory(entry.directory.sha256);
    return (await standsInBase(directory, over)) ? { kind: "directory", base: directory, over } : undefined;
  };

  const find = async (path: string): Promise<Standing | undefined> => {
    let directory: Standing = {
      kind: "directory",
      base: await base.directory(options.baseTree),
      over: overlay.root,
    };
    if (path === "") return directory;
    const names = path.split("/");
    for (const [index, name] of names.entries()) {
      const found = await standing(directory.base?.get(name), directory.over?.below.get(name));
      if (index === names.length - 1 || found?.kind !== "directory") {
        return index === names.length - 1 ? found : undefined;
      }
      directory = found;
    }
    return directory;
  };

  const namesIn = async (directory: Standing & { kind: "directory" }): Promise<readonly WorkspaceName[]> => {
    const names = new Set([...(directory.base?.keys() ?? []), ...(directory.over?.below.keys() ?? [])]);
    const listed: WorkspaceName[] = [];
    for (const name of [...names].sort(byteOrder)) {
      const entry = directory.base?.get(name);
      const over = directory.over?.below.get(name);
      // An untouched subdirectory stands, and need not be loaded to say so.
      if (over === undefined && entry?.kind === "directory") listed.push({ name, kind: "directory" });
      else {
        const found = await standing(entry, over);
        if (found !== undefined) listed.push({ name, kind: kindOf(found) });
      }
    }
    return listed;
  };

  const filesBelow = async (path: string, found: Standing): Promise<readonly [string, FileState][]> => {
    if (found.kind === "file") return [[path, found.state]];
    const files: [string, FileState][] = [];
    for (const { name } of await namesIn(found)) {
      const child = await standing(found.base?.get(name), found.over?.below.get(name));
      if (child !== undefined) files.push(...(await filesBelow(`${path}/${name}`, child)));
    }
    return files;
  };

  const setFile = async (path: string, before: FileState | undefined, after: FileState | undefined) => {
    const entry = await base.entry(path);
    const inBase = entry?.kind === "file" ? entry.file : undefined;
    overlay.setFile(path, { to: sameFileState(inBase, after) ? undefined : (after ?? null), before, after });
  };

  const remove = async (path: string): Promise<void> => {
    const found = await find(path);
    if (found === undefined) return;
    for (const [file, state] of await filesBelow(path, found)) await setFile(file, state, undefined);
    for (const directory of [...overlay.standing()]) {
      if (directory === path || directory.startsWith(`${path}/`)) overlay.setStanding(directory, false);
    }
    // The directories above stay until the decision is settled, even when nothing is left in them.
    for (const ancestor of ancestorsOf(path)) overlay.setStanding(ancestor, true);
  };

  const content = async (sha256: string): Promise<Uint8Array> =>
    written.get(sha256) ?? storedContent(options.content, sha256);

  const snapshot = async (): Promise<WorkspaceSnapshot> => stored(overlay.position());
  const positions = new WeakMap<WorkspaceSnapshot, number>();
  const stored = (position: number): WorkspaceSnapshot => {
    const taken: WorkspaceSnapshot = {
      async changesSince(earlier) {
        const from = positions.get(earlier);
        if (from === undefined) throw new TypeError("The snapshot is one of another workspace.");
        const differences: TreeDifference[] = [];
        for (const [path, { before, after }] of overlay.changes(from, position)) {
          if (!sameFileState(before, after)) differences.push({ path, before, after });
        }
        return differences.sort((a, b) => byteOrder(a.path, b.path));
      },
      content,
      async gitTreeId() {
        const edits = overlay.filesAt(position);
        const entries = [...edits].map(([path, state]) => [path, state ?? undefined] as const);
        return (await editTree(options.trees, options.baseTree, new Map(entries))).gitTreeId;
      },
      async restore() {
        overlay.revertTo(position);
      },
    };
    positions.set(taken, position);
    return taken;
  };

  return {
    async lookup(path) {
      const found = await find(path);
      return found === undefined ? undefined : nodeOf(found);
    },
    async list(path) {
      const found = await find(path);
      return found?.kind === "directory" ? namesIn(found) : [];
    },
    async read(path) {
      const found = await find(path);
      if (found?.kind === "file") return new Uint8Array(await content(found.state.sha256));
      throw new NotFoundError({ code: "path_not_found", message: `There is no file at ${path}.` });
    },
    async write(path, value) {
      if (value === undefined) return remove(path);
      const blocked = await blockedWrite(path, value, async (at) => {
        const found = await find(at);
        return found === undefined ? undefined : kindOf(found);
      });
      if (blocked !== undefined) throw blocked;
      const found = await find(path);
      if (value.kind === "directory") {
        if (found !== undefined) return;
        for (const directory of [...ancestorsOf(path), path]) overlay.setStanding(directory, true);
        return;
      }
      const bytes = new Uint8Array(value.bytes);
      const state = contentState(bytes, value.mode);
      const before = found?.kind === "file" ? found.state : undefined;
      if (sameFileState(before, state)) return;
      written.set(state.sha256, bytes);
      await setFile(path, before, state);
    },
    snapshot,
    async settle() {
      for (const directory of [...overlay.standing()]) overlay.setStanding(directory, false);
    },
    overlay: () => overlay.files(),
    newContents: () => written,
    contentsStored(sha256s) {
      if (sha256s === undefined) written.clear();
      else for (const sha256 of sha256s) written.delete(sha256);
    },
  };
};

const kindOf = (found: Standing): "file" | "symlink" | "directory" =>
  found.kind === "directory" ? "directory" : found.state.mode === "120000" ? "symlink" : "file";

const nodeOf = (found: Standing): WorkspaceNode => {
  if (found.kind === "directory") return { kind: "directory" };
  const { mode, sizeBytes, sha256 } = found.state;
  return mode === "120000"
    ? { kind: "symlink", sizeBytes, sha256 }
    : { kind: "file", mode, sizeBytes, sha256 };
};
