import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type Emulators, startEmulators } from "#infra/local/emulators/start-emulators.ts";
import type { LambdaHandler } from "#infra/local/lambda-host.ts";
import { startEmbeddedService } from "#infra/local/start-embedded-service.ts";
import { type PlanledgerClient, planledgerClient } from "#lib/client/planledger-client.ts";
import type { LogRecord } from "#lib/log/log.ts";

/** When a function was invoked and when it had answered, on this process's clock, ms. */
export interface Invocation {
  readonly name: string;
  readonly startedAt: number;
  readonly endedAt: number;
}

/** The embedded service in this process as `planledger dev` runs it, its data on disk, with what a benchmark wants to know. */
export interface BenchService {
  readonly url: string;
  readonly token: string;
  readonly client: PlanledgerClient;
  readonly emulators: Emulators;
  /** Grows. */
  readonly invocations: readonly Invocation[];
  /** Resolves with the time when the worker had brought the plan to its end. */
  ended(planId: string): Promise<number>;
  stop(): Promise<void>;
}

export async function startBenchService(): Promise<BenchService> {
  const dataDir = mkdtempSync(join(tmpdir(), "planledger-bench-"));
  const emulators = await startEmulators({ dataDir });
  const invocations: Invocation[] = [];
  const ends = new Map<string, PromiseWithResolvers<number>>();
  const endOf = (planId: string): PromiseWithResolvers<number> => {
    const end = ends.get(planId) ?? Promise.withResolvers<number>();
    ends.set(planId, end);
    return end;
  };
  const write = (record: LogRecord): void => {
    if (record.event === "run_advanced" && record.outcome === "ended") {
      endOf(String(record.planId)).resolve(performance.now());
    }
  };
  const wrapHandler =
    (name: string, handler: LambdaHandler): LambdaHandler =>
    async (event, context) => {
      const startedAt = performance.now();
      const result = await handler(event, context);
      invocations.push({ name, startedAt, endedAt: performance.now() });
      return result;
    };
  process.env.AWS_ENDPOINT_URL_DYNAMODB = emulators.dynamodbEndpoint;
  process.env.AWS_ENDPOINT_URL_SQS = emulators.sqsEndpoint;
  process.env.AWS_ENDPOINT_URL_S3 = emulators.s3Endpoint;
  const service = await startEmbeddedService({
    port: 0,
    dataDir: join(dataDir, "service"),
    awsEndpointUrl: emulators.s3Endpoint,
    wrapHandler,
    log: { write },
  });
  return {
    url: service.url,
    token: service.token,
    client: planledgerClient({ url: service.url, token: service.token }),
    emulators,
    invocations,
    ended: (planId) => endOf(planId).promise,
    async stop() {
      await service.stop();
      await emulators.stop();
      rmSync(dataDir, { recursive: true, force: true });
    },
  };
}

/** The plan's outcome as a client sees it; throws unless all of it landed under a digest. */
export async function requireLanded(
  { client }: Pick<BenchService, "client">,
  { planId, decisions }: { readonly planId: string; readonly decisions: number },
): Promise<void> {
  const { phase, counts, digest } = await client.planStatus({ planId });
  if (phase !== "completed" || counts.landed !== decisions || digest === undefined) {
    throw new Error(`${planId}: ${phase}, ${counts.landed} of ${decisions} landed, digest ${digest}`);
  }
}
