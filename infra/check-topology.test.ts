import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { test } from "node:test";
import { routes } from "#lib/api/routes.ts";
import { ValidationError } from "#lib/errors/planledger-error.ts";
import { checkTopology } from "./check-topology.ts";
import { topology } from "./topology.ts";
import type { QueueTopology, Topology } from "./topology-shape.ts";

const problemsOf = (candidate: Topology): readonly string[] => {
  try {
    checkTopology(candidate);
    return [];
  } catch (error) {
    assert.ok(error instanceof ValidationError);
    assert.ok(Array.isArray(error.details.problems));
    return error.details.problems.map(String);
  }
};

const withDecisions = (change: (queue: QueueTopology) => QueueTopology): Topology => {
  const { decisions } = topology.queues;
  assert.ok(decisions);
  return { ...topology, queues: { ...topology.queues, decisions: change(decisions) } };
};

test("the service's own topology has no problems", () => {
  assert.deepEqual(problemsOf(topology), []);
});

test("every function's entry is a file of the repository", () => {
  for (const { entry } of Object.values(topology.functions)) {
    assert.ok(existsSync(new URL(`../${entry}`, import.meta.url)), entry);
  }
});

test("every route of the API goes to one function, with the authorizer unless it is open", () => {
  const byRoute = new Map(topology.routes.map((route) => [route.route, route]));
  for (const route of routes) {
    const rendered = byRoute.get(`${route.method} ${route.path}`);
    assert.equal(rendered?.authorized, route.scope !== "none", route.id);
  }
  assert.equal(topology.routes.length, routes.length + 1);
  assert.ok(byRoute.has("$default"));
});

test("F2: a visibility timeout shorter than six runs is refused, with the least that would do", () => {
  const problems = problemsOf(withDecisions((queue) => ({ ...queue, visibilityTimeoutSeconds: 359 })));
  assert.equal(problems.length, 1);
  assert.match(problems[0] ?? "", /decisions: visibilityTimeoutSeconds is 359.*at least.*360/);
});

test("F2: a longer function time-out is refused with it, since the queue would give up too early", () => {
  const { executeWorker } = topology.functions;
  assert.ok(executeWorker);
  const slower = { ...executeWorker, timeoutSeconds: 61 };
  const problems = problemsOf({ ...topology, functions: { ...topology.functions, executeWorker: slower } });
  assert.match(problems.join("\n"), /executeWorker may run 61 s.*366/);
});

test("a queue without a dead-letter queue is refused", () => {
  const problems = problemsOf(withDecisions(({ deadLetter: _, ...queue }) => queue));
  assert.match(problems.join("\n"), /queue decisions has no dead-letter queue/);
});

test("a dead-letter queue that keeps messages for a shorter time than its source is refused", () => {
  const problems = problemsOf(withDecisions((queue) => ({ ...queue, retentionSeconds: 1_209_601 })));
  assert.match(problems.join("\n"), /keeps messages for a shorter time/);
});

test("fewer than five receives before the dead-letter queue are refused", () => {
  const problems = problemsOf(
    withDecisions((queue) => ({
      ...queue,
      deadLetter: { queue: "decisionsDeadLetter", maximumReceiveCount: 4 },
    })),
  );
  assert.match(problems.join("\n"), /maximumReceiveCount is 4, the least is 5/);
});

test("all problems are told at once", () => {
  const problems = problemsOf({
    ...withDecisions((queue) => ({
      ...queue,
      visibilityTimeoutSeconds: 30,
      deadLetter: { queue: "nowhere", maximumReceiveCount: 1 },
      consumer: { function: "executeWorker", batchSize: 11, maximumConcurrency: 1 },
    })),
    routes: [
      { route: "GET /a", function: "executeWorker", authorized: true },
      { route: "GET /a", function: "nobody", authorized: true },
    ],
    authorizer: { function: "nobody", cacheSeconds: 60 },
    schedules: { never: { everyMinutes: 0, function: "nobody" } },
  });
  assert.ok(problems.length >= 10, problems.join("\n"));
});
