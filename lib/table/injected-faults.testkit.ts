import type { DynamoDBClient } from "@aws-sdk/client-dynamodb";
import type { S3Client } from "@aws-sdk/client-s3";
import type { SQSClient } from "@aws-sdk/client-sqs";

/**
 * What becomes of an attempt: refused before it has an effect (a throttle or an outage), or carried out and its answer lost
 * on the way back. The SDK sees each attempt fail as it would over a broken wire, and retries.
 */
export type InjectedFault = "throttled" | "unavailable" | "answer_lost";

export interface FaultInjector {
  /** The fate of the next attempts of an operation, in order; `undefined` lets one through. */
  script(operation: string, fates: readonly (InjectedFault | undefined)[]): void;
  /** Faults that were injected so far. */
  readonly injected: () => number;
}

export function injectFaults(client: DynamoDBClient | S3Client | SQSClient): FaultInjector {
  const fates = new Map<string, (InjectedFault | undefined)[]>();
  let injected = 0;
  const stack = client.middlewareStack as DynamoDBClient["middlewareStack"];
  stack.add(
    (next, context) => async (args) => {
      const fate = fates.get((context.commandName ?? "").replace(/Command$/, ""))?.shift();
      if (fate === undefined) return next(args);
      injected += 1;
      if (fate === "throttled") throw fault("ThrottlingException", 400);
      if (fate === "unavailable") throw fault("InternalServerError", 500);
      await next(args);
      throw Object.assign(new Error("socket hang up"), { code: "ECONNRESET" });
    },
    { step: "finalizeRequest", priority: "low", name: "injectFaults" },
  );
  return {
    script: (operation, scripted) => fates.set(operation, [...scripted]),
    injected: () => injected,
  };
}

function fault(name: string, httpStatusCode: number): Error {
  const error = new Error(`injected ${name}`);
  error.name = name;
  return Object.assign(error, { $fault: "server", $metadata: { httpStatusCode } });
}
