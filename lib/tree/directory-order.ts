import { byteOrder } from "./byte-order.ts";
import type { DirectoryEntry } from "./directory.ts";

/** What an entry sorts by: its name, a directory's as if it ended in `/`. So paths of a walk come in byte order. */
export const entryKey = (entry: DirectoryEntry): string =>
  entry.kind === "directory" ? `${entry.name}/` : entry.name;

/** Git's order of the entries of a directory. */
export const entryOrder = (a: DirectoryEntry, b: DirectoryEntry): number =>
  byteOrder(entryKey(a), entryKey(b));
