/** A decision as the tree shows it. */
export interface TreeNode {
  readonly id: string;
  readonly parentId?: string | undefined;
}

export interface TreeLine<Node extends TreeNode> {
  /** Box-drawing characters before the node. */
  readonly prefix: string;
  readonly id: string;
  /** `undefined` for an id that is only named as a parent: the decision root, usually. */
  readonly node: Node | undefined;
}

/**
 * The lines of the tree that explains why, parents before their children, siblings in plan order. A parent that is no
 * decision itself (the decision root) stands where its first child would. Nothing recurses: a chain may be long.
 */
export function* decisionTreeLines<Node extends TreeNode>(nodes: readonly Node[]): Generator<TreeLine<Node>> {
  const byId = new Map(nodes.map((node) => [node.id, node]));
  const children = new Map<string | undefined, string[]>();
  const roots: string[] = [];
  for (const { id, parentId } of nodes) {
    if (parentId === undefined) {
      roots.push(id);
      continue;
    }
    const siblings = children.get(parentId);
    if (siblings !== undefined) siblings.push(id);
    else {
      children.set(parentId, [id]);
      if (!byId.has(parentId)) roots.push(parentId);
    }
  }
  const open = roots.reverse().map((id) => ({ id, prefix: "", indent: "" }));
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    const { id, prefix, indent } = next;
    yield { prefix, id, node: byId.get(id) };
    const below = children.get(id) ?? [];
    for (const [place, child] of [...below].reverse().entries()) {
      const last = place === 0;
      open.push({
        id: child,
        prefix: `${indent}${last ? "└─ " : "├─ "}`,
        indent: `${indent}${last ? "   " : "│  "}`,
      });
    }
  }
}
