import type { S3Client } from "@aws-sdk/client-s3";
import { byteBoundedCache } from "#lib/content/byte-bounded-cache.ts";
import { cachedContentStore } from "#lib/content/cached-content-store.ts";
import { s3ContentStore } from "#lib/content/s3-content-store.ts";
import { s3ContentTransfer } from "#lib/content/s3-content-transfer.ts";
import type { Clock } from "#lib/run/clock.ts";
import type { StoresOf, TenantStores } from "#lib/service/tenant-stores.ts";
import { cachedTreeStore } from "#lib/tree/cached-tree-store.ts";
import type { Directory } from "#lib/tree/directory.ts";
import { s3TreeStore } from "#lib/tree/s3-tree-store.ts";
import type { StoreEnvironment } from "./environment.ts";

const contentCacheBytes = 64 * 1024 * 1024;
const treeCacheBytes = 64 * 1024 * 1024;

/**
 * A tenant's files on S3, behind caches of this process. What is cached is addressed by its hash, so no invocation can see
 * another's state in it.
 */
export const tenantStores = (options: {
  readonly s3: S3Client;
  readonly environment: StoreEnvironment;
  readonly clock: Clock;
}): StoresOf => {
  const { s3: client, clock } = options;
  const bucket = options.environment.BUCKET_NAME;
  const contentCache = byteBoundedCache<Uint8Array>(contentCacheBytes);
  const treeCache = byteBoundedCache<Directory>(treeCacheBytes);
  return (tenant): TenantStores => {
    const content = cachedContentStore({
      store: s3ContentStore({ client, bucket, tenant }),
      tenant,
      cache: contentCache,
    });
    const trees = cachedTreeStore({
      store: s3TreeStore({ client, bucket, tenant }),
      tenant,
      cache: treeCache,
    });
    return { content, trees, transfer: s3ContentTransfer({ client, bucket, tenant, content, clock }) };
  };
};
