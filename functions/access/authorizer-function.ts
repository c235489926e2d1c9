import middy from "@middy/core";
import type { Context } from "aws-lambda";
import * as z from "zod/mini";
import { authorizeRequest } from "#lib/access/authorize-request.ts";
import type { JudgeJwt } from "#lib/access/judge-jwt.ts";
import type { TokenStore } from "#lib/access/token-store.ts";
import { verdictToContext } from "#lib/access/verdict-context.ts";
import { faultFields } from "#lib/log/fault-fields.ts";
import type { Log } from "#lib/log/log.ts";
import type { Clock } from "#lib/run/clock.ts";

const authorizerEvent = z.object({
  headers: z.optional(z.record(z.string(), z.optional(z.string()))),
});

export interface AuthorizerResult {
  readonly isAuthorized: boolean;
  readonly context: Readonly<Record<string, string>>;
}
export type AuthorizerHandler = (event: unknown, context: Context) => Promise<AuthorizerResult>;

/**
 * A Lambda authorizer (payload format 2.0, simple responses). It lets every request through with a verdict, so that handlers
 * answer 401 and 403 as problem documents; it throws when the token store or a JWT's issuer does not answer.
 */
export const authorizerFunction = (ports: {
  readonly tokens: TokenStore;
  readonly judgeJwt: JudgeJwt;
  readonly clock: Clock;
  readonly log: Log;
}): AuthorizerHandler => {
  const handler = middy<unknown, AuthorizerResult>(async (event: unknown) => {
    const { headers = {} } = z.parse(authorizerEvent, event);
    const authorization = Object.entries(headers).find(([name]) => name.toLowerCase() === "authorization");
    const verdict = await authorizeRequest(ports, authorization?.[1]);
    return { isAuthorized: true, context: verdictToContext(verdict) };
  }).onError((request) => {
    ports.log.write({
      level: "error",
      event: "authorizer_fault",
      requestId: request.context.awsRequestId,
      ...faultFields(request.error),
    });
  });
  return async (event, context) => handler(event, context);
};
