import assert from "node:assert/strict";
import { test } from "node:test";
import { jsonLinesLog } from "#lib/log/json-lines-log.ts";
import type { LogRecord } from "#lib/log/log.ts";
import { serviceUnderTest } from "./embedded-service.testkit.ts";

const logged: LogRecord[] = [];
const lines: string[] = [];
const asLines = jsonLinesLog({ clock: { now: () => 0 }, writeLine: (line) => lines.push(line) });
const service = serviceUnderTest({
  log: {
    write(record) {
      logged.push(record);
      asLines.write(record);
    },
  },
});

const secret = "hunter2-in-an-input";
const writes = (path: string) => ({
  decisions: [{ id: "d1", toolCalls: [{ tool: "write_file", input: { path, content: secret } }] }],
});
const of = (planId: string, event: string) =>
  logged.filter((record) => record.planId === planId && record.event === event);
const traceIds = (planId: string): readonly unknown[] =>
  logged.flatMap((record) =>
    record.planId === planId && ["run_advanced", "run_ended"].includes(record.event) ? [record.traceId] : [],
  );

test("all that is done for a request bears its trace: the caller's, or one that the gateway began, over the queue as well", async () => {
  const root = "1-6a0b1c2d-0123456789abcdef01234567";
  const headers = { "x-amzn-trace-id": `Root=${root};Sampled=1` };
  await service.sendJson("/v1/plans/traced/execute", writes("a.txt"), { headers });
  await service.ended("traced");
  assert.equal(of("traced", "request")[0]?.traceId, root);
  assert.equal(traceIds("traced").length, 2);
  assert.deepEqual([...new Set(traceIds("traced"))], [root]);

  await service.sendJson("/v1/plans/untraced/execute", writes("a.txt"));
  await service.ended("untraced");
  const begun = of("untraced", "request")[0]?.traceId ?? "";
  assert.match(begun, /^1-[0-9a-f]{8}-[0-9a-f]{24}$/);
  assert.deepEqual([...new Set(traceIds("untraced"))], [begun]);

  const forged = { "x-amzn-trace-id": `Root=${root}"} ${secret}` };
  await service.sendJson("/v1/plans/forged/execute", writes("a.txt"), { headers: forged });
  await service.ended("forged");
  assert.equal(of("forged", "request")[0]?.traceId, undefined);
});

test("a run's end is counted once, whoever ended it", async () => {
  await service.sendJson("/v1/plans/lands/execute", writes("a.txt"));
  await service.sendJson("/v1/plans/fails/execute", writes("../a.txt"));
  await service.ended("lands");
  await service.ended("fails");
  const none = { runsCompleted: 0, runsFailed: 0, runsCancelled: 0 };
  const decisions = { decisionsLanded: 0, decisionsFailed: 0, decisionsSkipped: 0 };
  const counted = (planId: string) =>
    of(planId, "run_ended").map(({ metrics = {} }) => ({ ...metrics, runSeconds: 0 }));
  assert.deepEqual(counted("lands"), [
    { ...none, ...decisions, runSeconds: 0, runsCompleted: 1, decisionsLanded: 1 },
  ]);
  assert.deepEqual(counted("fails"), [
    { ...none, ...decisions, runSeconds: 0, runsFailed: 1, decisionsFailed: 1 },
  ]);

  const failed = of("fails", "decision_failed").map(({ run, decisionId, code }) => ({
    run,
    decisionId,
    code,
  }));
  assert.deepEqual(failed, [{ run: 1, decisionId: "d1", code: "path_refused" }]);
  assert.deepEqual(of("lands", "decision_failed"), []);

  // Not one of the reasons for which the run is looked at again counts it again.
  await service.sendJson("/v1/plans/lands/execute", writes("a.txt"));
  await service.sendJson("/v1/plans/lands/cancel", {});
  assert.equal(of("lands", "run_ended").length, 1);
});

test("every message is timed from its sending, every request from its arrival", () => {
  for (const { metrics } of of("lands", "run_advanced")) {
    assert.ok(metrics?.messageAgeMs !== undefined && metrics.messageAgeMs >= 0);
  }
  const [request] = of("lands", "request");
  assert.equal(request?.metrics?.requests, 1);
  assert.equal(request?.metrics?.requestFaults, 0);
  assert.ok(request?.metrics?.requestMs !== undefined && request.metrics.requestMs >= 0);
});

test("no line holds what a plan wrote, where it wrote it, or a token", async () => {
  await service.sendJson("/v1/plans/malformed/execute", `{"decisions": ${secret}`);
  await service.sendJson("/v1/plans/refused/execute", {
    decisions: [{ id: secret, toolCalls: [] }, { id: secret }],
  });
  assert.ok(lines.length > 10);
  for (const line of lines) {
    assert.doesNotMatch(line, /hunter2|a\.txt/);
    assert.ok(!line.includes(service.token));
  }
});
