import { NotFoundError, PlanledgerError } from "../errors/planledger-error.ts";
import type { ApiReply } from "./api-reply.ts";
import type { ApiRequest } from "./api-request.ts";
import type { Endpoint } from "./endpoint.ts";
import { matchRoute, type RouteMatch } from "./match-route.ts";
import type { Route } from "./route.ts";

/** Endpoints of one function, and the whole API's routes: what a path that comes here by `$default` could have meant. */
export interface Endpoints {
  readonly routes: readonly Route[];
  readonly endpoints: readonly Endpoint[];
}

/** Which route a request meant, for logs too. */
export const routeOf = (
  { routes }: Endpoints,
  request: { readonly method: string; readonly path: string },
): RouteMatch => matchRoute(routes, request);

/** Answers a request, or throws what `problemOf` makes a problem document of. */
export const answerRequest = async (api: Endpoints, request: ApiRequest): Promise<ApiReply> => {
  const match = routeOf(api, request);
  switch (match.kind) {
    case "method_not_allowed":
      throw new PlanledgerError({
        code: "method_not_allowed",
        message: `${request.method} is not possible here; ${match.allowed.join(", ")} is.`,
        details: { allowed: match.allowed },
      });
    case "not_found":
      throw new NotFoundError({
        code: "not_found",
        message: "There is no such route; /v1/openapi.json lists those there are.",
        details: { reason: "no_such_route" },
      });
    case "found": {
      const endpoint = api.endpoints.find(({ route }) => route.id === match.route.id);
      if (endpoint === undefined) {
        throw new PlanledgerError({
          code: "internal",
          message: `The gateway sent ${match.route.id} to a function that does not answer it.`,
        });
      }
      return endpoint.answer(request, match.parameters);
    }
  }
};
