import { matchPath } from "./path-template.ts";
import type { Route } from "./route.ts";

export type RouteMatch =
  | { readonly kind: "found"; readonly route: Route; readonly parameters: Readonly<Record<string, string>> }
  | { readonly kind: "method_not_allowed"; readonly allowed: readonly string[] }
  | { readonly kind: "not_found" };

/** Which route takes a request; of two that match a path, the one that stands first. */
export const matchRoute = (
  routes: readonly Route[],
  request: { readonly method: string; readonly path: string },
): RouteMatch => {
  const allowed = new Set<string>();
  for (const route of routes) {
    const parameters = matchPath(route.path, request.path);
    if (parameters === undefined) continue;
    if (route.method === request.method) return { kind: "found", route, parameters };
    allowed.add(route.method);
  }
  return allowed.size > 0
    ? { kind: "method_not_allowed", allowed: [...allowed].sort() }
    : { kind: "not_found" };
};
