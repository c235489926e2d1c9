import type { ByteBoundedCache } from "../content/byte-bounded-cache.ts";
import type { Directory } from "./directory.ts";
import type { TreeStore } from "./tree-store.ts";

/** What an entry of a directory takes in memory, about. */
const entryBytes = 400;

/**
 * A tenant's tree store behind a cache of the process, which tenants may share: keys hold the tenant. Directories are never
 * changed, so the same object is given to all. A directory that was just put is not asked for again.
 */
export function cachedTreeStore(options: {
  readonly store: TreeStore;
  readonly tenant: string;
  readonly cache: ByteBoundedCache<Directory>;
}): TreeStore {
  const { store, tenant, cache } = options;
  const keyOf = (sha256: string) => JSON.stringify([tenant, sha256]);
  const keep = (sha256: string, directory: Directory) =>
    cache.set(keyOf(sha256), directory, (directory.entries.length + 1) * entryBytes);
  return {
    async get(sha256) {
      const kept = cache.get(keyOf(sha256));
      if (kept !== undefined) return kept;
      const directory = await store.get(sha256);
      keep(sha256, directory);
      return directory;
    },
    async put(directories) {
      const refs = await store.put(directories);
      for (const [index, ref] of refs.entries()) {
        const directory = directories[index];
        if (directory !== undefined) keep(ref.sha256, directory);
      }
      return refs;
    },
    missing(sha256s) {
      return store.missing(sha256s);
    },
  };
}
