import type { ByteBoundedCache } from "./byte-bounded-cache.ts";
import type { ContentStore } from "./content-store.ts";

/** What an entry weighs beside its bytes. */
const overheadBytes = 200;

/**
 * A tenant's content store behind a cache of the process, which tenants may share: keys hold the tenant, so that one never
 * learns what another has. Only what the store gave or took is kept; absence is asked for each time. Bytes are copied.
 */
export function cachedContentStore(options: {
  readonly store: ContentStore;
  readonly tenant: string;
  readonly cache: ByteBoundedCache<Uint8Array>;
}): ContentStore {
  const { store, tenant, cache } = options;
  const keyOf = (sha256: string) => JSON.stringify([tenant, sha256]);
  const keep = (sha256: string, bytes: Uint8Array) =>
    cache.set(keyOf(sha256), Uint8Array.from(bytes), bytes.byteLength + overheadBytes);
  return {
    async get(sha256) {
      const kept = cache.get(keyOf(sha256));
      if (kept !== undefined) return kept.slice();
      const bytes = await store.get(sha256);
      if (bytes !== undefined) keep(sha256, bytes);
      return bytes;
    },
    async put(contents) {
      const sha256s = await store.put(contents);
      for (const [index, sha256] of sha256s.entries()) {
        const bytes = contents[index];
        if (bytes !== undefined) keep(sha256, bytes);
      }
      return sha256s;
    },
    missing(sha256s) {
      return store.missing(sha256s);
    },
  };
}
