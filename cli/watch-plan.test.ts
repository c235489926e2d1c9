import assert from "node:assert/strict";
import { test } from "node:test";
import type { EventReply, PlanStatusReply } from "#lib/api/plan-replies.ts";
import type { PlanledgerClient } from "#lib/client/planledger-client.ts";
import { InfrastructureError, NotFoundError } from "#lib/errors/planledger-error.ts";
import { watchPlan } from "./watch-plan.ts";

const away = () => new InfrastructureError({ message: "cannot reach http://127.0.0.1:9 (ECONNREFUSED)" });
const status: PlanStatusReply = {
  planId: "p1",
  serverPlanId: "pln_1",
  phase: "running",
  message: "",
  run: 1,
  changesetId: "c1",
  automationProfile: "manual",
  counts: { total: 4, pending: 4, landed: 0, failed: 0, skipped: 0 },
  toolCalls: 0,
  entries: 0,
  noChanges: false,
  failures: [],
  failuresTruncated: false,
  cost: { costUsd: 0, units: {}, priceListDate: "" },
  costUsd: 0,
};
const event = (seq: number): EventReply => ({
  ...{ seq, type: "runtime_execute_step", run: 1, at: "", atEpochMs: 0, by: "service" },
  ...{ decisionId: `d${seq}`, ledgerHead: "0".repeat(64) },
});

/** A watched plan whose service is away as often as `faults` says, in turn: at the status, or in the middle of its events. */
async function watched(faults: readonly (Error | undefined)[], pauses = 3) {
  const left = [...faults];
  const lines: string[] = [];
  const from: (string | undefined)[] = [];
  let seq = 0;
  const client: Pick<PlanledgerClient, "planStatus" | "eventPages"> = {
    planStatus: async () => {
      const fault = left.shift();
      if (fault !== undefined) throw fault;
      return status;
    },
    async *eventPages({ cursor }) {
      from.push(cursor);
      while (seq < 4) {
        seq += 1;
        yield { events: [event(seq)], cursor: `after ${seq}`, ended: false };
        const fault = left.shift();
        if (fault !== undefined) throw fault;
      }
    },
  };
  const session = {
    env: {},
    signal: new AbortController().signal,
    stderr: { write: (text: string | Uint8Array) => lines.push(String(text)) > 0 },
  };
  const watching = watchPlan({ session, client }, { planId: "p1", run: 1, patience: { pauseMs: 0, pauses } });
  const outcome = await watching.then(
    () => "ended",
    (error: unknown) => error,
  );
  return { outcome, lines: lines.join(""), from };
}

test("a service that is away for a while is waited for, and the watch goes on where it was", async () => {
  const { outcome, lines, from } = await watched([undefined, undefined, away(), away(), away()]);
  assert.equal(outcome, "ended");
  assert.deepEqual(from, [undefined, "after 2"]);
  assert.deepEqual(
    [...lines.matchAll(/✓ (d\d)/g)].map(([, id]) => id),
    ["d1", "d2", "d3", "d4"],
  );
  assert.match(lines, /cannot reach .*; trying again for at least 0 seconds\n/);
  assert.match(lines, /the service is there again\n/);
});

test("it is waited for so long and no longer, each time anew, and then what goes on is said", async () => {
  const tooLong = await watched([undefined, away(), away(), away(), away(), away()]);
  assert.ok(tooLong.outcome instanceof InfrastructureError);
  assert.match(
    tooLong.outcome.message,
    /cannot reach .* away for .*the plan goes on, and `planledger plan status p1`/,
  );
  const twice = await watched([undefined, away(), away(), away(), undefined, away(), away(), away()]);
  assert.equal(twice.outcome, "ended");
});

test("what will not pass is no reason to wait", async () => {
  const unknown = new NotFoundError({ code: "not_found", message: "no such plan" });
  const { outcome, lines } = await watched([unknown]);
  assert.equal(outcome, unknown);
  assert.equal(lines, "");
});
