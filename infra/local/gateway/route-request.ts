import { matchPath } from "#lib/api/path-template.ts";
import type { RouteTopology } from "../../topology-shape.ts";

export interface RoutedRequest {
  readonly route: RouteTopology;
  readonly pathParameters?: Readonly<Record<string, string>>;
}

const parametersIn = (path: string): number => path.split("{").length - 1;

/**
 * A gateway's choice of a route: of those that match method and path the one with the fewest parameters, else `$default`,
 * else none.
 */
export const routeRequest = (
  routes: readonly RouteTopology[],
): ((request: { readonly method: string; readonly path: string }) => RoutedRequest | undefined) => {
  const candidates = routes
    .filter(({ route }) => route !== "$default")
    .map((route) => {
      const [method = "", path = ""] = route.route.split(" ");
      return { route, method, path };
    })
    .sort((one, other) => parametersIn(one.path) - parametersIn(other.path));
  const fallback = routes.find(({ route }) => route === "$default");
  return ({ method, path }) => {
    for (const candidate of candidates) {
      if (candidate.method !== method) continue;
      const pathParameters = matchPath(candidate.path, path);
      if (pathParameters !== undefined) return { route: candidate.route, pathParameters };
    }
    return fallback === undefined ? undefined : { route: fallback };
  };
};
