import type { BuildAppOptions } from "fauxqs";
import { maxUploadBytes } from "#lib/content/upload-limit.ts";
import { InfrastructureError } from "#lib/errors/planledger-error.ts";

/** SQS and S3 on one endpoint. */
export interface QueueAndObjectEmulator {
  readonly endpoint: string;
  stop(): Promise<void>;
}

type Stores = NonNullable<BuildAppOptions["stores"]>;
type ObjectPersistence = NonNullable<Stores["s3Store"]["persistence"]>;

/**
 * Starts fauxqs in this process, on the loopback interface only. Queues are held in memory, since they are rebuilt from the
 * table; objects, with `objectDir`, in a SQLite file there, where a put is one transaction, on disk before it is
 * acknowledged. Without it they are held in memory too.
 */
export async function startQueueAndObjectEmulator(options: {
  readonly objectDir?: string;
}): Promise<QueueAndObjectEmulator> {
  const { buildApp } = await import("fauxqs");
  const stores = await createStores(options.objectDir);
  const app = buildApp({ logger: false, stores: stores.stores });
  // The largest content goes up in one signed request, which is above its own limit of 11 MiB.
  app.removeContentTypeParser("*");
  app.addContentTypeParser("*", { parseAs: "buffer", bodyLimit: maxUploadBytes }, (_request, body, done) =>
    done(null, body),
  );
  app.addHook("preClose", async () => stores.close());
  // Its own startFauxqs() listens on every interface and keeps queues and objects in one place or in torn files.
  await app.listen({ port: 0, host: "127.0.0.1" });
  app.server.unref();
  const address = app.server.address();
  if (typeof address !== "object" || address === null) {
    throw new InfrastructureError({ message: "The SQS and S3 emulator listens on no port." });
  }
  const stop = async () => {
    app.server.ref();
    await app.close();
  };
  return { endpoint: `http://127.0.0.1:${address.port}`, stop };
}

async function createStores(objectDir: string | undefined) {
  const { SqsStore }: { SqsStore: new () => Stores["sqsStore"] } = await inside("sqs/sqsStore.js");
  const { SnsStore }: { SnsStore: new () => Stores["snsStore"] } = await inside("sns/snsStore.js");
  const { S3Store }: { S3Store: new () => Stores["s3Store"] } = await inside("s3/s3Store.js");
  const stores: Stores = { sqsStore: new SqsStore(), snsStore: new SnsStore(), s3Store: new S3Store() };
  if (objectDir === undefined) return { stores, close: () => {} };
  const { PersistenceManager }: { PersistenceManager: new (dir: string) => ObjectPersistence } =
    await inside("persistence.js");
  const persistence = new PersistenceManager(objectDir);
  // In this order: what is loaded must not be written again.
  persistence.loadS3(stores.s3Store);
  stores.s3Store.persistence = persistence;
  return { stores, close: () => persistence.close() };
}

/** The package exports its server only, not the stores that the server takes; its version is pinned for this reason. */
async function inside(file: string) {
  return import(new URL(file, import.meta.resolve("fauxqs")).href);
}
