import type { Server } from "node:http";
import { InfrastructureError } from "#lib/errors/planledger-error.ts";
import type { DynamodbEmulator } from "./dynamodb-emulator.ts";

/** The part of dynalite that is used; the package has no types. */
interface Dynalite {
  readonly default: (options: {
    readonly path?: string;
    readonly createTableMs: number;
    readonly deleteTableMs: number;
    readonly updateTableMs: number;
  }) => Server;
}

/**
 * DynamoDB in this process, in pure JavaScript but for LevelDB: for platforms that dynoxide has no package for. Slower,
 * and without transactions, which Planledger does not use.
 */
export async function startDynalite(options: { readonly databaseFile?: string }): Promise<DynamodbEmulator> {
  const { default: dynalite } = await importDynalite();
  const path = options.databaseFile === undefined ? {} : { path: `${options.databaseFile}.level` };
  const server = dynalite({ ...path, createTableMs: 0, deleteTableMs: 0, updateTableMs: 0 });
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  server.once("error", reject);
  server.listen(0, "127.0.0.1", resolve);
  await promise;
  server.unref();
  const address = server.address();
  if (typeof address !== "object" || address === null) {
    throw new InfrastructureError({ message: "dynalite listens on no port." });
  }
  return {
    endpoint: `http://127.0.0.1:${address.port}`,
    stop: () =>
      new Promise((done) => {
        server.ref();
        server.close(() => done());
        server.closeAllConnections();
      }),
  };
}

async function importDynalite(): Promise<Dynalite> {
  const name = "dynalite";
  try {
    return await import(name);
  } catch (cause) {
    throw new InfrastructureError({
      message:
        `No DynamoDB emulator is installed for ${process.platform}-${process.arch}. Install one ` +
        `(npm install --no-save dynalite), or set AWS_ENDPOINT_URL to an endpoint that speaks DynamoDB, SQS and S3.`,
      cause,
    });
  }
}
