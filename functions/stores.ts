import { byteBoundedCache } from "#lib/content/byte-bounded-cache.ts";
import { cachedContentStore } from "#lib/content/cached-content-store.ts";
import type { ContentStore } from "#lib/content/content-store.ts";
import type { ContentTransfer } from "#lib/content/content-transfer.ts";
import type { Clock } from "#lib/run/clock.ts";
import type { StoresOf, TenantStores } from "#lib/service/tenant-stores.ts";
import { cachedTreeStore } from "#lib/tree/cached-tree-store.ts";
import type { Directory } from "#lib/tree/directory.ts";
import type { TreeStore } from "#lib/tree/tree-store.ts";
import type { StoreEnvironment } from "./environment.ts";
import { loadedOnce } from "./loaded-once.ts";

const contentCacheBytes = 64 * 1024 * 1024;
const treeCacheBytes = 64 * 1024 * 1024;

/**
 * A tenant's files on S3, behind caches of this process. What is cached is addressed by its hash, so no invocation can see
 * another's state in it. S3's client is loaded when the first file is asked for: most small plans need none.
 */
export const tenantStores = (options: {
  readonly environment: StoreEnvironment;
  readonly clock: Clock;
}): StoresOf => {
  const contentCache = byteBoundedCache<Uint8Array>(contentCacheBytes);
  const treeCache = byteBoundedCache<Directory>(treeCacheBytes);
  const s3 = loadedOnce(async () => (await import("./s3-stores.ts")).s3Stores(options));
  return (tenant): TenantStores => {
    const content = cachedContentStore({
      store: lateContent(loadedOnce(async () => (await s3()).content(tenant))),
      tenant,
      cache: contentCache,
    });
    const trees = cachedTreeStore({
      store: lateTrees(loadedOnce(async () => (await s3()).trees(tenant))),
      tenant,
      cache: treeCache,
    });
    const transfer = lateTransfer(loadedOnce(async () => (await s3()).transfer(tenant, content)));
    return { content, trees, transfer };
  };
};

const lateContent = (store: () => Promise<ContentStore>): ContentStore => ({
  get: async (sha256) => (await store()).get(sha256),
  put: async (contents) => (await store()).put(contents),
  missing: async (sha256s) => (await store()).missing(sha256s),
});

const lateTrees = (store: () => Promise<TreeStore>): TreeStore => ({
  get: async (sha256) => (await store()).get(sha256),
  put: async (directories) => (await store()).put(directories),
  missing: async (sha256s) => (await store()).missing(sha256s),
});

const lateTransfer = (transfer: () => Promise<ContentTransfer>): ContentTransfer => ({
  uploadTarget: async (content) => (await transfer()).uploadTarget(content),
  admit: async (sha256) => (await transfer()).admit(sha256),
  downloadUrl: async (sha256) => (await transfer()).downloadUrl(sha256),
});
