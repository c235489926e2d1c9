import { Agent, createServer, type IncomingMessage, request, type ServerResponse } from "node:http";
import * as z from "zod/mini";
import { type Emulators, startEmulators } from "#infra/local/emulators/start-emulators.ts";

/** One request as it went over the wire; the SDK's own retries are requests of their own. */
export interface WireCall {
  readonly service: "dynamodb" | "sqs" | "s3";
  /** `PutItem`, `ReceiveMessage`, …; for objects the HTTP method. */
  readonly operation: string;
  /** `pk sk` of an item, the path of an object, the queue's address, or `""`. */
  readonly target: string;
  readonly requestBytes: number;
  readonly status: number;
  readonly readUnits: number;
  /** Failed conditions included: they are billed like the write. */
  readonly writeUnits: number;
  /** Messages that a receive answered. */
  readonly messages: number;
}

/** Emulators of DynamoDB, SQS and S3 behind one endpoint that counts what passes. */
export interface AwsWire {
  /** For `AWS_ENDPOINT_URL`. */
  readonly url: string;
  /** The emulators themselves: what a test does there is not counted. */
  readonly direct: Emulators;
  /** In the order of their answers; grows. */
  readonly calls: readonly WireCall[];
  stop(): Promise<void>;
}

const attributes = z.record(z.string(), z.looseObject({ S: z.optional(z.string()) }));
const capacity = z.object({ CapacityUnits: z.optional(z.number()) });
const tableRequest = z.looseObject({
  TableName: z.optional(z.string()),
  RequestItems: z.optional(z.unknown()),
  Item: z.optional(attributes),
  Key: z.optional(attributes),
  ExpressionAttributeValues: z.optional(attributes),
  QueueUrl: z.optional(z.string()),
});
const tableAnswer = z.looseObject({
  __type: z.optional(z.string()),
  ConsumedCapacity: z.optional(z.union([capacity, z.array(capacity)])),
  Messages: z.optional(z.array(z.unknown())),
});

const readOperations = new Set(["GetItem", "BatchGetItem", "Query", "Scan"]);

/** Starts emulators in memory and the counting endpoint before them. */
export async function startAwsWire(): Promise<AwsWire> {
  const direct = await startEmulators();
  const agent = new Agent({ keepAlive: true, maxSockets: 256 });
  const calls: WireCall[] = [];
  const server = createServer((incoming, outgoing) => {
    forward({ direct, agent, calls }, incoming, outgoing).catch((fault: unknown) => {
      outgoing.destroy(fault instanceof Error ? fault : new Error(String(fault)));
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const address = server.address();
  if (typeof address !== "object" || address === null) throw new Error("the counting endpoint has no port");
  return {
    url: `http://127.0.0.1:${address.port}`,
    direct,
    calls,
    async stop() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
      agent.destroy();
      await direct.stop();
    },
  };
}

async function forward(
  wire: { readonly direct: Emulators; readonly agent: Agent; readonly calls: WireCall[] },
  incoming: IncomingMessage,
  outgoing: ServerResponse,
): Promise<void> {
  const [family = "", operation = ""] = String(incoming.headers["x-amz-target"] ?? "").split(".");
  const service = family.startsWith("DynamoDB") ? "dynamodb" : family === "AmazonSQS" ? "sqs" : "s3";
  const sent = await bytesOf(incoming);
  const asked = service === "s3" ? undefined : tableRequest.parse(JSON.parse(sent.toString()));
  const counted = service === "dynamodb" && (asked?.TableName ?? asked?.RequestItems) !== undefined;
  const body = counted ? Buffer.from(JSON.stringify({ ...asked, ReturnConsumedCapacity: "TOTAL" })) : sent;
  const endpoint = service === "dynamodb" ? wire.direct.dynamodbEndpoint : wire.direct.s3Endpoint;
  const answer = await send(endpoint, { incoming, body, agent: wire.agent });
  const received = await bytesOf(answer);
  wire.calls.push({
    service,
    operation: service === "s3" ? (incoming.method ?? "") : operation,
    target: service === "s3" ? (incoming.url ?? "") : targetOf(asked),
    requestBytes: sent.length,
    status: answer.statusCode ?? 0,
    messages: 0,
    ...(service === "s3" ? { readUnits: 0, writeUnits: 0 } : used(operation, { sent, received })),
  });
  outgoing.writeHead(answer.statusCode ?? 502, answer.rawHeaders);
  outgoing.end(received);
}

function used(operation: string, { sent, received }: { readonly sent: Buffer; readonly received: Buffer }) {
  const answer = tableAnswer.parse(JSON.parse(received.toString() || "{}"));
  const consumed = [answer.ConsumedCapacity ?? []].flat();
  const units = consumed.reduce((sum, { CapacityUnits }) => sum + (CapacityUnits ?? 0), 0);
  const failedCondition = answer.__type?.includes("ConditionalCheckFailed") === true;
  const isRead = readOperations.has(operation);
  return {
    readUnits: isRead ? units : 0,
    writeUnits: isRead ? 0 : failedCondition ? Math.ceil(sent.length / 1024) : units,
    messages: answer.Messages?.length ?? 0,
  };
}

function targetOf(asked: z.output<typeof tableRequest> | undefined): string {
  const key = asked?.Item ?? asked?.Key;
  if (key !== undefined) return `${key.pk?.S ?? ""} ${key.sk?.S ?? ""}`;
  return asked?.QueueUrl ?? asked?.ExpressionAttributeValues?.[":pk"]?.S ?? "";
}

function send(
  endpoint: string,
  what: { readonly incoming: IncomingMessage; readonly body: Buffer; readonly agent: Agent },
): Promise<IncomingMessage> {
  const { method, url = "/" } = what.incoming;
  const { "transfer-encoding": _, ...headers } = what.incoming.headers;
  return new Promise((resolve, reject) => {
    const outgoing = request(
      new URL(url, endpoint),
      {
        method,
        agent: what.agent,
        headers: { ...headers, "content-length": what.body.length },
      },
      resolve,
    );
    outgoing.once("error", reject);
    outgoing.end(what.body);
  });
}

async function bytesOf(stream: AsyncIterable<Buffer>): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of stream) chunks.push(chunk);
  return Buffer.concat(chunks);
}
