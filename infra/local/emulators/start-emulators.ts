import { join } from "node:path";
import { type DataDirectoryLock, lockDataDirectory } from "./data-directory-lock.ts";
import { startDynamodb } from "./dynamodb-emulator.ts";
import { startQueueAndObjectEmulator } from "./queue-and-object-emulator.ts";

/** Endpoints for the AWS SDK's clients: any credentials, any region, S3 with `forcePathStyle`. */
export interface Emulators {
  readonly dynamodbEndpoint: string;
  readonly sqsEndpoint: string;
  readonly s3Endpoint: string;
  /** Ends them all and gives the data directory free; again does nothing. */
  stop(): Promise<void>;
}

/**
 * Starts DynamoDB, SQS and S3 on free ports of the loopback interface; they answer when this returns. With `dataDir` the
 * table and the objects lie there and survive a `kill -9`, queues do not; without it all is in memory. A directory that is
 * in use throws a `ConflictError`. Queues are addressed as `{sqsEndpoint}/000000000000/{name}`. No process outlives this one.
 */
export async function startEmulators(options: { readonly dataDir?: string } = {}): Promise<Emulators> {
  const { dataDir } = options;
  const lock = dataDir === undefined ? undefined : await lockDataDirectory(dataDir);
  const running: { stop(): Promise<void> }[] = [];
  const stop = once(() => stopAll(running, lock));
  try {
    const [dynamodb, queueAndObject] = await settled(running, [
      startDynamodb(dataDir === undefined ? {} : { databaseFile: join(dataDir, "table.db") }),
      startQueueAndObjectEmulator(dataDir === undefined ? {} : { objectDir: join(dataDir, "objects") }),
    ]);
    if (dynamodb.pid !== undefined) lock?.noteEmulator(dynamodb.pid);
    return {
      dynamodbEndpoint: dynamodb.endpoint,
      sqsEndpoint: queueAndObject.endpoint,
      s3Endpoint: queueAndObject.endpoint,
      stop,
    };
  } catch (fault) {
    await stop();
    throw fault;
  }
}

/** Both, or the first fault once neither is still starting; what did start is in `running` then. */
async function settled<A extends { stop(): Promise<void> }, B extends { stop(): Promise<void> }>(
  running: { stop(): Promise<void> }[],
  starting: readonly [Promise<A>, Promise<B>],
): Promise<[A, B]> {
  const [first, second] = await Promise.allSettled(starting);
  for (const one of [first, second]) if (one.status === "fulfilled") running.push(one.value);
  if (first.status === "rejected") throw first.reason;
  if (second.status === "rejected") throw second.reason;
  return [first.value, second.value];
}

async function stopAll(
  running: readonly { stop(): Promise<void> }[],
  lock: DataDirectoryLock | undefined,
): Promise<void> {
  try {
    await Promise.all(running.map((one) => one.stop()));
  } finally {
    lock?.release();
  }
}

function once(run: () => Promise<void>): () => Promise<void> {
  let running: Promise<void> | undefined;
  return () => {
    running ??= run();
    return running;
  };
}
