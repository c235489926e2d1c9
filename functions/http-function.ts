import middy from "@middy/core";
import type { Context } from "aws-lambda";
import { answerRequest, type Endpoints, routeOf } from "#lib/api/answer-request.ts";
import type { ApiReply } from "#lib/api/api-reply.ts";
import type { ApiRequest } from "#lib/api/api-request.ts";
import { checkReply } from "#lib/api/check-reply.ts";
import type { Endpoint } from "#lib/api/endpoint.ts";
import { problemReply } from "#lib/api/problem-reply.ts";
import type { Route } from "#lib/api/route.ts";
import { InfrastructureError, ValidationError } from "#lib/errors/planledger-error.ts";
import { faultFields } from "#lib/log/fault-fields.ts";
import type { Log } from "#lib/log/log.ts";
import type { RequestQuota } from "#lib/quota/request-quota.ts";
import type { Clock } from "#lib/run/clock.ts";
import { type HttpResult, requestOfEvent, resultOfReply } from "./http-event.ts";
import { inInvocation, traceHeaderOf } from "./invocation.ts";

export interface HttpFunctionOptions {
  readonly endpoints: readonly Endpoint[];
  /** Of the whole API, for the function that answers what no route takes; the others know their own endpoints' alone. */
  readonly routes?: readonly Route[];
  /** Asked for each request that has a caller; without it there is no limit. */
  readonly requests?: RequestQuota;
  readonly log: Log;
  readonly clock: Clock;
  /** Holds every reply to its route's schema before it leaves: on in tests and in the embedded service. */
  readonly checkReplies: boolean;
}

/** In base64, what remains of a function's 6 MiB beside headers. */
const bodyMaximumCharacters = 5.5 * 1024 * 1024;

const tooLarge = (): ValidationError =>
  new ValidationError({
    code: "limit_exceeded",
    field: "limit",
    message:
      "What this request asks for is more than the 4 MiB of a reply. Ask for less at a time with limit.",
    details: { limitBytes: 4 * 1024 * 1024 },
  });

export type HttpHandler = (event: unknown, context: Context) => Promise<HttpResult>;

/** The handler of a function behind the gateway. Whatever is thrown becomes a problem document; too little time, a 503. */
export const httpFunction = (given: HttpFunctionOptions): HttpHandler => {
  const options = { ...given, routes: given.routes ?? routesOf(given.endpoints) };
  const handler = middy<unknown, HttpResult>(
    async (event: unknown) => {
      const request = requestOfEvent(event);
      const { requestId } = request;
      const traceHeader = traceHeaderOf(request.headers["x-amzn-trace-id"]);
      return inInvocation({ requestId, traceHeader }, async () => {
        const result = resultOfReply(await loggedReply(options, request));
        if (result.body.length <= bodyMaximumCharacters) return result;
        options.log.write({ level: "warn", event: "reply_too_large" });
        return resultOfReply(problemReply(tooLarge(), requestId));
      });
    },
    {
      timeoutEarlyInMillis: 250,
      timeoutEarlyResponse: () => {
        throw new InfrastructureError({ message: "The service took too long. Send the request again." });
      },
    },
  ).onError((request) => {
    options.log.write({
      level: "error",
      event: "invocation_fault",
      requestId: request.context.awsRequestId,
      ...faultFields(request.error),
    });
    request.response = resultOfReply(problemReply(request.error, request.context.awsRequestId));
  });
  return async (event, context) => handler(event, context);
};

/** As the gateway has it, of two routes that match a path the one with fewer parameters takes it. */
const routesOf = (endpoints: readonly Endpoint[]): readonly Route[] => {
  const parameters = ({ path }: Route) => path.split("{").length;
  return endpoints.map(({ route }) => route).sort((one, other) => parameters(one) - parameters(other));
};

type Serving = HttpFunctionOptions & Endpoints;

const loggedReply = async (options: Serving, request: ApiRequest): Promise<ApiReply> => {
  const startedAtMs = options.clock.now();
  const match = routeOf(options, request);
  const found = match.kind === "found" ? match : undefined;
  const { reply, fault } = await answeredOrRefused(options, request);
  const durationMs = options.clock.now() - startedAtMs;
  options.log.write({
    level: reply.status >= 500 ? "error" : "info",
    event: "request",
    route: found?.route.id,
    tenant: request.verdict.kind === "allowed" ? request.verdict.caller.tenant : undefined,
    planId: found?.parameters.planId,
    status: reply.status,
    durationMs,
    metrics: {
      requests: 1,
      requestFaults: reply.status >= 500 ? 1 : 0,
      requestsLimited: reply.status === 429 ? 1 : 0,
      requestMs: durationMs,
    },
    ...(reply.status >= 500 ? faultFields(fault) : {}),
  });
  return reply;
};

const answeredOrRefused = async (
  options: Serving,
  request: ApiRequest,
): Promise<{ readonly reply: ApiReply; readonly fault?: unknown }> => {
  try {
    if (request.verdict.kind === "allowed") await options.requests?.admit(request.verdict.caller.tenant);
    const reply = await answerRequest(options, request);
    const match = routeOf(options, request);
    if (options.checkReplies && match.kind === "found") await checkReply(match.route, reply);
    return { reply };
  } catch (fault) {
    return { reply: problemReply(fault, request.requestId), fault };
  }
};
