import type { FileState } from "../tree/file-state.ts";

/** What an overlay says of one path: a file, nothing (`null`), or whatever the base holds (`undefined`). */
export type OverlayState = FileState | null | undefined;

/** One path of an overlay and what lies below it. */
export interface OverlayNode {
  state: OverlayState;
  /** A directory that stands although it may hold nothing, until the decision is settled. */
  standing: boolean;
  /** Files of the overlay at and below this path. */
  fileCount: number;
  readonly below: Map<string, OverlayNode>;
}

type LogEntry =
  | {
      readonly kind: "file";
      readonly path: string;
      readonly from: OverlayState;
      readonly to: OverlayState;
      /** What stood there before and after, the base included. */
      readonly before: FileState | undefined;
      readonly after: FileState | undefined;
    }
  | { readonly kind: "standing"; readonly path: string; readonly to: boolean };

/**
 * Changes over a base tree, with a log of every step: a position in it is a snapshot, what changed between two is read off
 * the log, and going back appends the inverse steps, so that every position stays valid. It knows no base and loads nothing.
 */
export interface WorkspaceOverlay {
  readonly root: OverlayNode;
  position(): number;
  /** Paths that differ from the base, `null` where nothing stands any more; live, not a copy. */
  files(): ReadonlyMap<string, FileState | null>;
  filesAt(position: number): ReadonlyMap<string, FileState | null>;
  standing(): ReadonlySet<string>;
  setFile(path: string, change: Omit<LogEntry & { kind: "file" }, "kind" | "path" | "from">): void;
  setStanding(path: string, standing: boolean): void;
  /** First state and last state of every path touched between two positions. */
  changes(
    from: number,
    to: number,
  ): ReadonlyMap<string, { readonly before: FileState | undefined; readonly after: FileState | undefined }>;
  revertTo(position: number): void;
}

const newNode = (): OverlayNode => ({ state: undefined, standing: false, fileCount: 0, below: new Map() });

export const workspaceOverlay = (initial: ReadonlyMap<string, FileState | null>): WorkspaceOverlay => {
  const root = newNode();
  const files = new Map<string, FileState | null>();
  const standing = new Set<string>();
  const log: LogEntry[] = [];

  const nodesTo = (path: string): readonly [OverlayNode, ...OverlayNode[]] => {
    const nodes: [OverlayNode, ...OverlayNode[]] = [root];
    let node = root;
    for (const name of path === "" ? [] : path.split("/")) {
      let next = node.below.get(name);
      if (next === undefined) {
        next = newNode();
        node.below.set(name, next);
      }
      nodes.push(next);
      node = next;
    }
    return nodes;
  };

  const putFile = (path: string, state: OverlayState): void => {
    const nodes = nodesTo(path);
    const last = nodes.at(-1) ?? root;
    const difference = (state ? 1 : 0) - (last.state ? 1 : 0);
    for (const node of nodes) node.fileCount += difference;
    last.state = state;
    if (state === undefined) files.delete(path);
    else files.set(path, state);
  };

  const putStanding = (path: string, value: boolean): void => {
    (nodesTo(path).at(-1) ?? root).standing = value;
    if (value) standing.add(path);
    else standing.delete(path);
  };

  for (const [path, state] of initial) putFile(path, state);

  const setFile: WorkspaceOverlay["setFile"] = (path, change) => {
    const from = nodesTo(path).at(-1)?.state;
    log.push({ kind: "file", path, from, ...change });
    putFile(path, change.to);
  };
  const setStanding = (path: string, value: boolean): void => {
    if (standing.has(path) === value) return;
    log.push({ kind: "standing", path, to: value });
    putStanding(path, value);
  };

  return {
    root,
    position: () => log.length,
    files: () => files,
    filesAt(position) {
      const then = new Map(files);
      for (const entry of log.slice(position).reverse()) {
        if (entry.kind !== "file") continue;
        if (entry.from === undefined) then.delete(entry.path);
        else then.set(entry.path, entry.from);
      }
      return then;
    },
    standing: () => standing,
    setFile,
    setStanding,
    changes(from, to) {
      const touched = new Map<string, { before: FileState | undefined; after: FileState | undefined }>();
      for (const entry of log.slice(from, to)) {
        if (entry.kind !== "file") continue;
        const known = touched.get(entry.path);
        if (known === undefined) touched.set(entry.path, { before: entry.before, after: entry.after });
        else known.after = entry.after;
      }
      return touched;
    },
    revertTo(position) {
      for (const entry of log.slice(position).reverse()) {
        if (entry.kind === "standing") setStanding(entry.path, !entry.to);
        else setFile(entry.path, { to: entry.from, before: entry.after, after: entry.before });
      }
    },
  };
};
