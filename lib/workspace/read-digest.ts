import { canonicalSha256 } from "../canonical/canonical-json.ts";
import { byteOrder } from "../tree/byte-order.ts";
import type { WorkspaceName } from "./workspace.ts";

/** What stood at a path, as a read keeps it. */
export interface FoundNode {
  readonly type: "file" | "symlink" | "directory";
  readonly sha256?: string;
  readonly mode?: string;
}

/** What a `names` read covers: name and kind of everything directly in a directory, in byte order. */
export const namesSha256 = (names: Iterable<WorkspaceName>): string =>
  canonicalSha256([...names].sort((a, b) => byteOrder(a.name, b.name)).map(({ name, kind }) => [name, kind]));

/** What a `subtree` read covers: path and node of everything below a directory, in byte order of the paths. */
export const subtreeSha256 = (nodes: Iterable<readonly [string, FoundNode]>): string =>
  canonicalSha256(
    [...nodes]
      .sort(([a], [b]) => byteOrder(a, b))
      .map(([path, { type, mode, sha256 }]) => [path, type, mode ?? null, sha256 ?? null]),
  );
