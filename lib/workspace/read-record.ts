import { type FoundNode, namesSha256, subtreeSha256 } from "./read-digest.ts";
import type { WorkspaceName } from "./workspace.ts";
import type { WorkspaceRead } from "./workspace-read.ts";

/**
 * The reads of one decision in one resource. Only the first look at a thing counts, and since every write looks at its path
 * first, the record tells the tree as it stood before the decision, whatever the decision itself has written since: names
 * and subtrees are taken back to that state before they are hashed.
 */
export interface ReadRecord {
  node(path: string, found: FoundNode | undefined): void;
  names(path: string, names: readonly WorkspaceName[]): void;
  /** `nodes`: everything below `path`, as it stands now. */
  subtree(path: string, nodes: ReadonlyMap<string, FoundNode>): void;
  reads(): readonly WorkspaceRead[];
}

export const readRecord = (resource: string): ReadRecord => {
  const reads: WorkspaceRead[] = [];
  const nodes = new Map<string, FoundNode | undefined>();
  const seen = new Set<string>();

  const first = (key: string): boolean => {
    if (seen.has(key)) return false;
    seen.add(key);
    return true;
  };

  return {
    node(path, found) {
      if (nodes.has(path)) return;
      nodes.set(path, found);
      reads.push({ kind: "node", resource, path, found: found ?? null });
    },
    names(path, names) {
      if (!first(`names ${path}`)) return;
      const before = new Map(names.map((entry) => [entry.name, entry]));
      const prefix = path === "" ? "" : `${path}/`;
      for (const [known, found] of nodes) {
        const name = known.slice(prefix.length);
        if (known === "" || !known.startsWith(prefix) || name === "" || name.includes("/")) continue;
        if (found === undefined) before.delete(name);
        else before.set(name, { name, kind: found.type });
      }
      reads.push({ kind: "names", resource, path, sha256: namesSha256(before.values()) });
    },
    subtree(path, now) {
      if (!first(`subtree ${path}`)) return;
      const before = new Map(now);
      const prefix = path === "" ? "" : `${path}/`;
      for (const [known, found] of nodes) {
        if (known === "" || known === path || !known.startsWith(prefix)) continue;
        if (found === undefined) before.delete(known);
        else before.set(known, found);
      }
      reads.push({ kind: "subtree", resource, path, sha256: subtreeSha256(before) });
    },
    reads: () => reads,
  };
};
