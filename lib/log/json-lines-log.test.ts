import assert from "node:assert/strict";
import { test } from "node:test";
import { jsonLinesLog } from "./json-lines-log.ts";

const atEpochMs = Date.UTC(2026, 10, 30, 12);
const written = (record: Parameters<ReturnType<typeof jsonLinesLog>["write"]>[0], service?: string) => {
  const lines: string[] = [];
  jsonLinesLog({ clock: { now: () => atEpochMs }, service, writeLine: (line) => lines.push(line) }).write(
    record,
  );
  assert.equal(lines.length, 1);
  const [line = ""] = lines;
  assert.doesNotMatch(line, /\n/);
  return { line, value: JSON.parse(line) };
};

test("a record is one line, with its time, and only fields of the list: what is none of them cannot be logged", () => {
  const record = { level: "info", event: "request", planId: "p\n1", status: 200 } as const;
  const { line, value } = written({
    ...record,
    ...{ input: "key=hunter2", headers: { authorization: "Bearer pl_x" }, body: "hunter2" },
  });
  assert.deepEqual(value, { at: "2026-11-30T12:00:00.000Z", ...record });
  assert.doesNotMatch(line, /hunter2|Bearer/);
});

test("a field of the wrong kind is left out, a long one is cut", () => {
  const record: object = { planId: { secret: "x" }, status: "200", tenant: "t".repeat(100_000) };
  const { value } = written({ level: "info", event: "request", ...record });
  assert.deepEqual(Object.keys(value), ["at", "event", "level", "tenant"]);
  assert.equal(value.tenant.length, 4_000);
});

test("metrics stand in the line as CloudWatch's embedded metric format wants them", () => {
  const metrics = { requests: 1, requestMs: 12.5 };
  const { value } = written({ level: "info", event: "request", metrics }, "planledger");
  assert.deepEqual(value, {
    at: "2026-11-30T12:00:00.000Z",
    event: "request",
    level: "info",
    requests: 1,
    requestMs: 12.5,
    service: "planledger",
    _aws: {
      Timestamp: atEpochMs,
      CloudWatchMetrics: [
        {
          Namespace: "Planledger",
          Dimensions: [["service"]],
          Metrics: [
            { Name: "requests", Unit: "Count" },
            { Name: "requestMs", Unit: "Milliseconds" },
          ],
        },
      ],
    },
  });
});

test("without a service metrics are plain numbers, and unknown ones are left out", () => {
  const metrics: object = { requests: 1, secretsSeen: 3, __proto__: 4 };
  const { value } = written({ level: "info", event: "request", metrics });
  assert.deepEqual(value, { at: "2026-11-30T12:00:00.000Z", event: "request", level: "info", requests: 1 });
});
