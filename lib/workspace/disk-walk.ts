import type { BigIntStats } from "node:fs";
import { lstat, readdir } from "node:fs/promises";
import { pathRefusal } from "../tree/path-rules.ts";
import { diskFault, isAbsent } from "./disk-error.ts";

/** Something on disk below a workspace's root; `other` is neither file, link nor directory. */
export interface DiskNode {
  /** `undefined` for a name that no tree can hold: not UTF-8, or refused by the path rules. */
  readonly path: string | undefined;
  /** The path as bytes, good for the file system whatever the name. */
  readonly location: Buffer;
  readonly kind: "file" | "symlink" | "directory" | "other";
  readonly stats: BigIntStats;
}

/**
 * Everything below a directory but `.git`, parents before what they hold; links are not followed. What vanishes during the
 * walk is left out. The root itself may be gone: then there is nothing.
 */
export const walkDisk = async (root: string): Promise<readonly DiskNode[]> => {
  const found: DiskNode[] = [];
  const visit = async (location: Buffer, prefix: string): Promise<void> => {
    const nodes = await nodesIn(location, prefix);
    for (const node of nodes) {
      found.push(node);
      // Below a name that no tree can hold nothing can be kept either.
      if (node.kind === "directory" && node.path !== undefined) await visit(node.location, `${node.path}/`);
    }
  };
  await visit(Buffer.from(root), "");
  return found;
};

/** What a directory holds directly, `.git` left out; `prefix` is its path with a `/` behind, or `""` for the root. */
export const nodesIn = async (directory: Buffer, prefix: string): Promise<readonly DiskNode[]> => {
  const names = await readdir(directory, { encoding: "buffer" }).catch(absent<Buffer[]>(prefix, []));
  const nodes = await Promise.all(
    names.map(async (name): Promise<DiskNode | undefined> => {
      if (name.equals(gitDirectory)) return undefined;
      const location = Buffer.concat([directory, slash, name]);
      const path = utf8Path(prefix, name);
      const stats = await lstat(location, { bigint: true }).catch(absent(path ?? prefix, undefined));
      return stats && { path, location, kind: kindOfStats(stats), stats };
    }),
  );
  return nodes.filter((node) => node !== undefined);
};

/** What stands at one path; whatever stands above it has been checked. */
export const nodeAtPath = async (root: string, path: string): Promise<DiskNode | undefined> => {
  const location = Buffer.from(path === "" ? root : `${root}/${path}`);
  const stats = await lstat(location, { bigint: true }).catch(absent(path, undefined));
  return stats && { path, location, kind: kindOfStats(stats), stats };
};

const kindOfStats = (stats: BigIntStats): DiskNode["kind"] => {
  if (stats.isSymbolicLink()) return "symlink";
  if (stats.isDirectory()) return "directory";
  return stats.isFile() ? "file" : "other";
};

const utf8Path = (prefix: string, name: Buffer): string | undefined => {
  const text = name.toString();
  if (!Buffer.from(text).equals(name)) return undefined;
  return pathRefusal(prefix + text) === undefined ? prefix + text : undefined;
};

const absent =
  <T>(path: string, value: T) =>
  (error: unknown): T => {
    if (isAbsent(error)) return value;
    throw diskFault(path, error);
  };

const gitDirectory = Buffer.from(".git");
const slash = Buffer.from("/");
