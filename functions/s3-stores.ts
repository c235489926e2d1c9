import type { ContentStore } from "#lib/content/content-store.ts";
import { s3ContentStore } from "#lib/content/s3-content-store.ts";
import { s3ContentTransfer } from "#lib/content/s3-content-transfer.ts";
import type { Clock } from "#lib/run/clock.ts";
import { s3TreeStore } from "#lib/tree/s3-tree-store.ts";
import type { StoreEnvironment } from "./environment.ts";
import { s3Client } from "./s3-client.ts";

/** What makes the stores of a tenant's files on S3. */
export const s3Stores = ({
  environment,
  clock,
}: {
  readonly environment: StoreEnvironment;
  readonly clock: Clock;
}) => {
  const at = { client: s3Client(environment), bucket: environment.BUCKET_NAME };
  return {
    content: (tenant: string) => s3ContentStore({ ...at, tenant }),
    trees: (tenant: string) => s3TreeStore({ ...at, tenant }),
    /** Admits into `content`. */
    transfer: (tenant: string, content: ContentStore) => s3ContentTransfer({ ...at, tenant, content, clock }),
  };
};
