import type * as z from "zod/mini";
import type { Caller } from "../access/caller.ts";
import { requireCaller } from "../access/require-caller.ts";
import { PlanledgerError } from "../errors/planledger-error.ts";
import type { ApiReply } from "./api-reply.ts";
import type { ApiRequest } from "./api-request.ts";
import { requestBody } from "./request-body.ts";
import type { Route } from "./route.ts";
import { validated } from "./validated.ts";

/** A request that has passed its route: query and body as their schemas know them. Header names are lower case. */
export interface OpenRequest<Query, Body> {
  readonly parameters: Readonly<Record<string, string>>;
  readonly query: Query;
  readonly body: Body;
  readonly headers: ApiRequest["headers"];
  readonly requestId: string;
}

/** The same, of a caller that has the route's scope. */
export interface CallerRequest<Query, Body> extends OpenRequest<Query, Body> {
  readonly caller: Caller;
}

/** A route and what answers it. `answer` throws for whatever it refuses. */
export interface Endpoint {
  readonly route: Route;
  answer(request: ApiRequest, parameters: Readonly<Record<string, string>>): Promise<ApiReply>;
}

const opened = <Query extends z.ZodMiniType, Body extends z.ZodMiniType>(
  route: Route<Query, Body>,
  request: ApiRequest,
  parameters: Readonly<Record<string, string>>,
) => ({
  parameters,
  query: validated(route.query, request.query, "parameter"),
  body: validated(route.body.schema, requestBody(request, route.body)),
  headers: request.headers,
  requestId: request.requestId,
});

/** An endpoint that needs a token: 401 and 403 come before anything is read of the request. */
export const endpoint = <Query extends z.ZodMiniType, Body extends z.ZodMiniType>(
  route: Route<Query, Body>,
  respond: (request: CallerRequest<z.output<Query>, z.output<Body>>) => Promise<ApiReply>,
): Endpoint => ({
  route,
  async answer(request, parameters) {
    if (route.scope === "none") {
      throw new PlanledgerError({
        code: "internal",
        message: `${route.id} has no scope; use openEndpoint.`,
      });
    }
    const caller = requireCaller(request.verdict, route.scope);
    return respond({ ...opened(route, request, parameters), caller });
  },
});

/** An endpoint that answers without a token. */
export const openEndpoint = <Query extends z.ZodMiniType, Body extends z.ZodMiniType>(
  route: Route<Query, Body>,
  respond: (request: OpenRequest<z.output<Query>, z.output<Body>>) => Promise<ApiReply>,
): Endpoint => ({
  route,
  answer: async (request, parameters) => respond(opened(route, request, parameters)),
});

/** A path parameter that the route's template names. */
export const parameter = (
  request: { readonly parameters: Readonly<Record<string, string>> },
  name: string,
) => {
  const value = request.parameters[name];
  if (value === undefined) {
    throw new PlanledgerError({ code: "internal", message: `The route has no parameter ${name}.` });
  }
  return value;
};
