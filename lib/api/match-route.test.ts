import assert from "node:assert/strict";
import { test } from "node:test";
import { matchRoute } from "./match-route.ts";
import { matchPath } from "./path-template.ts";
import { routes } from "./routes.ts";

test("every route is found by a path of its own form", () => {
  for (const route of routes) {
    const path = route.path.replaceAll(/\{[^}]+\}/g, "a%2Fb");
    const match = matchRoute(routes, { method: route.method, path });
    assert.equal(match.kind === "found" && match.route.id, route.id, path);
  }
});

test("route ids are unique", () => {
  assert.equal(new Set(routes.map(({ id }) => id)).size, routes.length);
});

test("parameters are decoded, and an empty or broken one matches nothing", () => {
  assert.equal(matchPath("/v1/plans/{planId}", "/v1/plans/a%20%C3%BC")?.planId, "a ü");
  assert.equal(matchPath("/v1/plans/{planId}", "/v1/plans/"), undefined);
  assert.equal(matchPath("/v1/plans/{planId}", "/v1/plans/%E0%A4%A"), undefined);
  assert.equal(matchPath("/v1/plans/{planId}", "/v1/plans/a/b"), undefined);
});

test("a known path with another method tells all methods that it has", () => {
  assert.deepEqual(matchRoute(routes, { method: "PATCH", path: "/v1/projects/a/b" }), {
    kind: "method_not_allowed",
    allowed: ["DELETE", "GET", "PUT"],
  });
});
