import type { ChangeEntry } from "../changeset/change-entry.ts";
import type { TreeStore } from "../tree/tree-store.ts";
import { walkTree } from "../tree/walk-tree.ts";

/** What one decision did to a path. Decisions are known by their position among those that landed. */
export interface PathWrite {
  readonly decision: number;
  /** Whether something stood there when the decision was done. */
  present: boolean;
  /** Whether the path came, went, or changed its type on the way, so that names in its directory changed. */
  renames: boolean;
}

/** A path that decisions wrote, or one above such a path. */
export interface WrittenPath {
  readonly path: string;
  /** In the order of the decisions, one a decision. */
  readonly writes: PathWrite[];
  /** Whether a file stood there in the base; known where `writes` has any. */
  inBase: boolean;
  readonly below: Map<string, WrittenPath>;
}

/** Which decisions of a changeset wrote where, in one resource. */
export interface WriteHistory {
  at(path: string): WrittenPath | undefined;
  /** Whether the directory stands whichever decisions are left out: the base has a file below it that none removes. */
  alwaysStands(path: string): Promise<boolean>;
}

export function writeHistory(options: {
  readonly trees: TreeStore;
  readonly base: { readonly resource: string; readonly tree: string };
  /** Entries of the decisions that landed, in order. */
  readonly decisions: readonly { readonly entries: readonly ChangeEntry[] }[];
}): WriteHistory {
  const { trees, base, decisions } = options;
  const root = newPath("");
  const standing = new Map<string, Promise<boolean>>();

  for (const [decision, { entries }] of decisions.entries()) {
    for (const entry of entries) {
      if (entry.resource === base.resource) record(pathBelow(root, entry.path), decision, entry);
    }
  }

  function at(path: string): WrittenPath | undefined {
    let node: WrittenPath | undefined = root;
    for (const name of path === "" ? [] : path.split("/")) node = node?.below.get(name);
    return node;
  }

  async function findPermanent(directory: string): Promise<boolean> {
    for await (const { path } of walkTree(trees, base.tree, directory)) {
      if (path === directory) return false;
      if (at(path)?.writes.every(({ present }) => present) ?? true) return true;
    }
    return false;
  }

  return {
    at,
    alwaysStands(path) {
      const known = standing.get(path);
      if (known !== undefined) return known;
      const found = findPermanent(path);
      standing.set(path, found);
      return found;
    },
  };
}

/** A written path and all below it that were written, whole paths. */
export function* writtenBelow(node: WrittenPath): Generator<WrittenPath, void, undefined> {
  for (const child of node.below.values()) {
    if (child.writes.length > 0) yield child;
    yield* writtenBelow(child);
  }
}

/** The last write to a path before a decision that passes; found without a look at later ones. */
export function lastWriteBefore(
  written: WrittenPath,
  decision: number,
  passes: (write: PathWrite) => boolean,
): PathWrite | undefined {
  const { writes } = written;
  let low = 0;
  let high = writes.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((writes[middle]?.decision ?? decision) < decision) low = middle + 1;
    else high = middle;
  }
  for (let index = low - 1; index >= 0; index -= 1) {
    const write = writes[index];
    if (write !== undefined && passes(write)) return write;
  }
  return undefined;
}

function newPath(path: string): WrittenPath {
  return { path, writes: [], inBase: false, below: new Map() };
}

function pathBelow(root: WrittenPath, path: string): WrittenPath {
  let node = root;
  for (const name of path.split("/")) {
    let child = node.below.get(name);
    if (child === undefined) {
      child = newPath(node.path === "" ? name : `${node.path}/${name}`);
      node.below.set(name, child);
    }
    node = child;
  }
  return node;
}

function record(node: WrittenPath, decision: number, entry: ChangeEntry): void {
  const present = entry.after !== null;
  const renames = entry.kind === "create" || entry.kind === "delete" || entry.kind === "type";
  const last = node.writes.at(-1);
  if (last === undefined) node.inBase = entry.before !== null;
  if (last?.decision === decision) {
    last.present = present;
    last.renames ||= renames;
  } else {
    node.writes.push({ decision, present, renames });
  }
}
