import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import * as z from "zod/mini";
import { InfrastructureError, PlanledgerError } from "#lib/errors/planledger-error.ts";
import { faultFields } from "#lib/log/fault-fields.ts";
import type { Log } from "#lib/log/log.ts";
import type { Clock, IdSource } from "#lib/run/clock.ts";
import type { Topology } from "../../topology-shape.ts";
import type { HostedFunction } from "../lambda-host.ts";
import { authorizerEvent, dividedTarget, httpEvent, type ReceivedRequest } from "./http-event.ts";
import { type RequestGate, requestGate } from "./request-gate.ts";
import { type RoutedRequest, routeRequest } from "./route-request.ts";

/** API Gateway's own limit. */
const bodyMaximumBytes = 10 * 1024 * 1024;

export interface GatewayLimits {
  /**
   * How many requests the functions work on at once. One process plays all of them and the stores too: a thousand at once
   * would each wait so long for a connection that most fail, where one after another all are answered in time.
   */
  readonly maximumConcurrency: number;
  /** Beyond, requests are turned away, as by API Gateway's own throttle. */
  readonly maximumWaiting: number;
  /** Of bodies that are held at a time: those being received, those that wait and those under way. */
  readonly heldMaximumBytes: number;
}

const defaultLimits: GatewayLimits = {
  maximumConcurrency: 32,
  maximumWaiting: 2000,
  heldMaximumBytes: 256 * 1024 * 1024,
};

const functionResult = z.object({
  statusCode: z.int(),
  headers: z.optional(z.record(z.string(), z.union([z.string(), z.number(), z.boolean()]))),
  cookies: z.optional(z.array(z.string())),
  body: z.optional(z.string()),
  isBase64Encoded: z.optional(z.boolean()),
});
const authorizerResult = z.object({
  isAuthorized: z.boolean(),
  context: z.optional(z.record(z.string(), z.unknown())),
});

export interface HttpGateway {
  readonly url: string;
  /** Takes no more requests and waits for those under way. */
  stop(): Promise<void>;
}

export interface HttpGatewayOptions {
  readonly topology: Pick<Topology, "routes" | "authorizer">;
  readonly functions: ReadonlyMap<string, HostedFunction>;
  readonly port: number;
  readonly clock: Clock;
  readonly ids: IdSource;
  readonly log: Log;
  readonly limits?: GatewayLimits;
}

/**
 * An HTTP API on the loopback interface: routes requests, asks the authorizer first, and turns both into the events that
 * Lambda functions get. Verdicts are not cached, so that a revoked token ends at once.
 */
export const startHttpGateway = async (options: HttpGatewayOptions): Promise<HttpGateway> => {
  const choose = routeRequest(options.topology.routes);
  const limits = options.limits ?? defaultLimits;
  const gate = requestGate(limits);
  const bodies = { heldBytes: 0, maximumBytes: limits.heldMaximumBytes };
  let stopping = false;
  const server = createServer((message, response) => {
    // Or a connection that its client keeps alive would be waited for.
    response.once("finish", () => {
      if (stopping) message.socket.end();
    });
    serve({ ...options, gate, bodies, choose }, message, response).catch((fault: unknown) => {
      options.log.write({ level: "error", event: "gateway_fault", ...faultFields(fault) });
      if (!response.headersSent) answerOwn(response, 500, "Internal Server Error");
      else response.destroy();
    });
  });
  // Idle connections of clients that come back every second or so stay open.
  server.keepAliveTimeout = 30_000;
  const { promise: listening, resolve, reject } = Promise.withResolvers<void>();
  server.once("error", (cause: NodeJS.ErrnoException) => {
    reject(
      cause.code === "EADDRINUSE"
        ? new PlanledgerError({
            code: "unavailable",
            message: `Port ${options.port} is in use. Choose another with --port, or 0 for any free one.`,
            details: { port: options.port },
            cause,
          })
        : cause,
    );
  });
  server.listen(options.port, "127.0.0.1", resolve);
  await listening;
  const address = server.address();
  if (typeof address !== "object" || address === null) {
    throw new InfrastructureError({ message: "The gateway listens on no port." });
  }
  return {
    url: `http://127.0.0.1:${address.port}`,
    stop: () =>
      new Promise((done) => {
        stopping = true;
        server.close(() => done());
        server.closeIdleConnections();
      }),
  };
};

interface Serving extends HttpGatewayOptions {
  readonly gate: RequestGate;
  readonly bodies: HeldBodies;
  readonly choose: ReturnType<typeof routeRequest>;
}

const serve = async (serving: Serving, message: IncomingMessage, response: ServerResponse): Promise<void> => {
  const received = await readBody(message, serving.bodies);
  try {
    if (received.kind === "read") return await serveBody(serving, { message, body: received.body }, response);
    // The rest of the body is not read: the connection cannot be used again.
    response.setHeader("connection", "close");
    if (received.kind === "too_large") answerOwn(response, 413, "Request Entity Too Large");
    else turnAway(response);
  } finally {
    serving.bodies.heldBytes -= received.sizeBytes;
  }
};

const serveBody = async (
  options: Serving,
  { message, body }: { readonly message: IncomingMessage; readonly body: Buffer },
  response: ServerResponse,
): Promise<void> => {
  const request: ReceivedRequest = {
    method: message.method ?? "GET",
    target: message.url ?? "/",
    rawHeaders: message.rawHeaders,
    body,
    sourceIp: message.socket.remoteAddress ?? "",
    requestId: options.ids.ulid(),
    atEpochMs: options.clock.now(),
  };
  const routed = options.choose({ method: request.method, path: dividedTarget(request.target).path });
  if (routed === undefined) return answerOwn(response, 404, "Not Found");
  const answered = await options.gate.enter(() => answerByFunction(options, { request, routed }, response));
  if (answered === undefined) turnAway(response);
};

const answerByFunction = async (
  options: HttpGatewayOptions,
  { request, routed }: { readonly request: ReceivedRequest; readonly routed: RoutedRequest },
  response: ServerResponse,
): Promise<void> => {
  const target = {
    routeKey: routed.route.route,
    ...(routed.pathParameters === undefined ? {} : { pathParameters: { ...routed.pathParameters } }),
  };
  let verdict: unknown;
  if (routed.route.authorized) {
    const authorizer = hosted(options, options.topology.authorizer.function);
    const parsed = authorizerResult.parse(await authorizer.invoke(authorizerEvent(request, target)));
    if (!parsed.isAuthorized) return answerOwn(response, 403, "Forbidden");
    verdict = parsed.context;
  }
  const answer = await hosted(options, routed.route.function)
    .invoke(httpEvent(request, target, verdict))
    .catch((fault: unknown) => {
      if (isTooLarge(fault)) return undefined;
      throw fault;
    });
  // As an event a body is larger than it was sent, and a function takes less than the gateway does.
  if (answer === undefined) return answerOwn(response, 413, "Request Entity Too Large");
  const result = functionResult.parse(answer);
  const bytes = Buffer.from(result.body ?? "", result.isBase64Encoded === true ? "base64" : "utf8");
  response.statusCode = result.statusCode;
  for (const [name, value] of Object.entries(result.headers ?? {})) response.setHeader(name, String(value));
  if (result.cookies !== undefined) response.setHeader("set-cookie", result.cookies);
  response.setHeader("apigw-requestid", request.requestId);
  if (result.statusCode !== 204 && result.statusCode !== 304) {
    response.setHeader("content-length", bytes.byteLength);
  }
  response.end(bytes);
};

const hosted = ({ functions }: HttpGatewayOptions, name: string): HostedFunction => {
  const found = functions.get(name);
  if (found === undefined) {
    throw new PlanledgerError({ code: "internal", message: `The topology has no function ${name}.` });
  }
  return found;
};

const isTooLarge = (fault: unknown): boolean =>
  fault instanceof PlanledgerError && fault.code === "body_too_large";

interface HeldBodies {
  heldBytes: number;
  readonly maximumBytes: number;
}

type ReceivedBody = { readonly sizeBytes: number } & (
  | { readonly kind: "read"; readonly body: Buffer }
  | { readonly kind: "too_large" }
  | { readonly kind: "no_room" }
);

/** Stops as soon as it is longer than a gateway takes, or than there is room for. `sizeBytes` count as held from then on. */
const readBody = async (message: IncomingMessage, bodies: HeldBodies): Promise<ReceivedBody> => {
  const chunks: Buffer[] = [];
  let sizeBytes = 0;
  try {
    for await (const chunk of message.iterator({ destroyOnReturn: false })) {
      if (!Buffer.isBuffer(chunk)) continue;
      sizeBytes += chunk.byteLength;
      bodies.heldBytes += chunk.byteLength;
      if (sizeBytes > bodyMaximumBytes) return { kind: "too_large", sizeBytes };
      if (bodies.heldBytes > bodies.maximumBytes) return { kind: "no_room", sizeBytes };
      chunks.push(chunk);
    }
  } catch (fault) {
    bodies.heldBytes -= sizeBytes;
    throw fault;
  }
  return { kind: "read", body: Buffer.concat(chunks), sizeBytes };
};

const turnAway = (response: ServerResponse): void => {
  response.setHeader("retry-after", "1");
  answerOwn(response, 429, "Too Many Requests");
};

const answerOwn = (response: ServerResponse, statusCode: number, message: string): void => {
  response.statusCode = statusCode;
  response.setHeader("content-type", "application/json");
  response.end(JSON.stringify({ message }));
};
