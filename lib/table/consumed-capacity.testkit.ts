import type { DynamoDBClient } from "@aws-sdk/client-dynamodb";
import type { S3Client } from "@aws-sdk/client-s3";
import type { SQSClient } from "@aws-sdk/client-sqs";

/** What an operation used: attempts sent (the SDK's retries too), capacity units as the service counted them, body bytes. */
export interface UsedCapacity {
  requests: number;
  readUnits: number;
  writeUnits: number;
  /** Billed as writes, but reported by no endpoint: at least one unit each. */
  failedConditions: number;
  requestBytes: number;
}

export interface CapacityCounter {
  /** By operation: "PutItem", "Query", "SendMessage", … */
  readonly byOperation: ReadonlyMap<string, UsedCapacity>;
  total(): UsedCapacity;
  reset(): void;
}

const readOperations = new Set(["GetItem", "BatchGetItem", "Query", "Scan", "TransactGetItems"]);

/** Counts what goes through a client from now on; the client is used as before. */
export function countCapacity(client: DynamoDBClient | S3Client | SQSClient): CapacityCounter {
  const byOperation = new Map<string, UsedCapacity>();
  const usedBy = (operation: string): UsedCapacity => {
    const used = byOperation.get(operation) ?? nothing();
    byOperation.set(operation, used);
    return used;
  };
  // Clients differ in the types of their inputs only; what is counted is the same for all.
  const stack = client.middlewareStack as DynamoDBClient["middlewareStack"];
  stack.add(
    (next, context) => async (args) => {
      const operation = operationName(context);
      if ("TableName" in args.input || "RequestItems" in args.input) {
        Object.assign(args.input, { ReturnConsumedCapacity: "TOTAL" });
      }
      try {
        const result = await next(args);
        const units = consumedUnits(result.output);
        if (readOperations.has(operation)) usedBy(operation).readUnits += units;
        else usedBy(operation).writeUnits += units;
        return result;
      } catch (fault) {
        if (fault instanceof Error && fault.name === "ConditionalCheckFailedException") {
          usedBy(operation).failedConditions += 1;
        }
        throw fault;
      }
    },
    { step: "initialize", name: "countUnits" },
  );
  stack.add(
    (next, context) => async (args) => {
      const used = usedBy(operationName(context));
      used.requests += 1;
      used.requestBytes += bodyBytes(args.request);
      return next(args);
    },
    { step: "finalizeRequest", priority: "low", name: "countRequests" },
  );
  return {
    byOperation,
    total: () => [...byOperation.values()].reduce(sum, nothing()),
    reset: () => byOperation.clear(),
  };
}

function operationName(context: { readonly commandName?: string }): string {
  return (context.commandName ?? "").replace(/Command$/, "");
}

function nothing(): UsedCapacity {
  return { requests: 0, readUnits: 0, writeUnits: 0, failedConditions: 0, requestBytes: 0 };
}

function sum(one: UsedCapacity, other: UsedCapacity): UsedCapacity {
  return {
    requests: one.requests + other.requests,
    readUnits: one.readUnits + other.readUnits,
    writeUnits: one.writeUnits + other.writeUnits,
    failedConditions: one.failedConditions + other.failedConditions,
    requestBytes: one.requestBytes + other.requestBytes,
  };
}

function consumedUnits(output: object): number {
  if (!("ConsumedCapacity" in output)) return 0;
  const consumed = Array.isArray(output.ConsumedCapacity)
    ? output.ConsumedCapacity
    : [output.ConsumedCapacity];
  return consumed.reduce((units, one) => units + (one?.CapacityUnits ?? 0), 0);
}

function bodyBytes(request: unknown): number {
  if (typeof request !== "object" || request === null || !("body" in request)) return 0;
  const { body } = request;
  if (typeof body === "string") return Buffer.byteLength(body);
  return body instanceof Uint8Array ? body.byteLength : 0;
}
