import assert from "node:assert/strict";
import { test } from "node:test";
import type { PlanledgerClient } from "#lib/client/planledger-client.ts";
import { uploadTree } from "#lib/client/upload-tree.ts";
import { type CountedService, hasty, startCountedService } from "./counted-service.testkit.ts";
import { measured } from "./measured.testkit.ts";
import { sourceText } from "./source-text.testkit.ts";
import { callsBetween, stepWritten, unitsOf } from "./wire-units.testkit.ts";

const planId = "same-everywhere";

/** Decisions of which each edits one large file that all share, several times, and adds one of its own: work that takes time. */
async function slowPlan(client: PlanledgerClient, decisions: number) {
  const large = `mark 0\n${sourceText(1, 60_000)}`;
  const { tree } = await uploadTree({
    client,
    files: [{ path: "large.ts", mode: "100644", read: async () => Buffer.from(large) }],
  });
  const edits = 4;
  const edit = (at: number) => ({
    tool: "edit_file",
    input: { path: "large.ts", edits: [{ oldText: `mark ${at}\n`, newText: `mark ${at + 1}\n` }] },
  });
  return {
    projectResources: { app: { tree } },
    decisions: Array.from({ length: decisions }, (_, index) => ({
      id: `d${index}`,
      toolCalls: [
        ...Array.from({ length: edits }, (_, call) => edit(index * edits + call)),
        { tool: "write_file", input: { path: `own/f${index}.ts`, content: sourceText(index, 800) } },
      ],
    })),
  };
}

/** Everything that is read of a run is what one undisturbed worker leaves: digest, decisions, entries, events. */
async function checkSerial(service: CountedService, decisions: number): Promise<void> {
  const [disturbed, undisturbed] = await Promise.all([
    service.clientOf("disturbed"),
    service.clientOf("undisturbed"),
  ]);
  const of = async (client: PlanledgerClient) => {
    const { phase, digest, counts, entries, failures } = await client.planStatus({ planId });
    const landed: string[] = [];
    for await (const { decisionId, status, entries: made } of client.decisions({ planId, limit: 20 })) {
      landed.push(`${decisionId} ${status} ${made.map(({ path, kind }) => `${kind} ${path}`).join(" ")}`);
    }
    const events: string[] = [];
    for await (const { seq, type, decisionId } of client.events({ planId })) {
      events.push(`${seq} ${type} ${decisionId}`);
    }
    return { phase, digest, counts, entries, failures, landed, events };
  };
  const [found, expected] = [await of(disturbed), await of(undisturbed)];
  assert.deepEqual([expected.phase, expected.counts.landed], ["completed", decisions]);
  assert.deepEqual(found, expected);
  assert.deepEqual(
    found.events.map((event) => Number(event.split(" ")[0])),
    Array.from({ length: decisions + 2 }, (_, index) => index + 1),
  );
}

async function execute(service: CountedService, tenant: string, decisions: number): Promise<void> {
  const client = await service.clientOf(tenant);
  await client.executePlan({ planId, plan: await slowPlan(client, decisions) });
}

const countOf = (service: CountedService, event: string) =>
  service.logged.filter((record) => record.event === event).length;

test("F1: invocations that end in the middle, late workers and twenty hints at once leave one serial result", async () => {
  const decisions = 60;
  const endAt = [8, 24, 40];
  const key = { tenant: "disturbed", planId };
  let workers = 0;
  let mostWorkers = 0;
  let ended = 0;
  const service = await startCountedService({
    wrapHandler: (name, handler) => {
      if (name !== "executeWorker") return handler;
      return async (event, context) => {
        workers += 1;
        mostWorkers = Math.max(mostWorkers, workers);
        const work = handler(event, context).finally(() => {
          workers -= 1;
        });
        const position = JSON.stringify(event).includes('\\"disturbed\\"') ? endAt.shift() : undefined;
        if (position === undefined) return work;
        // The invocation ends here for the queue; what it was doing goes on, as a late worker's work does.
        const reached = service.frontiers.until(key, (frontier) => frontier.position >= position);
        await Promise.race([work, reached]);
        ended += 1;
        throw new Error("the invocation is over");
      };
    },
  });
  try {
    await execute(service, "undisturbed", decisions);
    await service.frontiers.ended({ tenant: "undisturbed", planId });
    await execute(service, "disturbed", decisions);
    await service.frontiers.until(key, ({ position }) => position > 0);
    await Promise.all(Array.from({ length: 20 }, () => service.sendHint(key)));
    await service.frontiers.ended(key);
    await checkSerial(service, decisions);
    const calls = service.wire.calls.filter(({ target }) => target.includes("T#disturbed#"));
    measured("twenty hints at once", {
      "invocations that ended in the middle": ended,
      "invocations at once": mostWorkers,
      "messages worked on": countOf(service, "run_advanced"),
      "steps written": calls.filter((call) => stepWritten(call) !== undefined).length,
      "steps refused": calls.filter(
        ({ operation, target, status }) =>
          operation === "PutItem" && status !== 200 && target.includes("#S#"),
      ).length,
      "moves refused": calls.filter(
        ({ operation, target, status }) =>
          operation === "PutItem" && status !== 200 && target.includes(" FRONTIER#"),
      ).length,
    });
    assert.equal(ended, 3);
    assert.ok(mostWorkers >= 2, `${mostWorkers} invocations at once`);
  } finally {
    await service.stop();
  }
});

test("F1, F2: a run that outlives the time of many invocations and of its messages is one serial run", async () => {
  const decisions = 400;
  const visibilitySeconds = 7;
  // A worker stops five seconds before its time is over: this leaves it a second.
  const service = await startCountedService({ topology: hasty({ visibilitySeconds, workerSeconds: 6 }) });
  const key = { tenant: "disturbed", planId };
  try {
    const startedAt = performance.now();
    await execute(service, "disturbed", decisions);
    await service.frontiers.ended(key);
    const seconds = (performance.now() - startedAt) / 1000;
    const outcomes = service.logged.filter(
      ({ event, tenant }) => event === "run_advanced" && tenant === "disturbed",
    );
    await execute(service, "undisturbed", decisions);
    await service.frontiers.ended({ tenant: "undisturbed", planId });
    await checkSerial(service, decisions);
    const handedOn = outcomes.filter(({ outcome }) => outcome === "handed_on").length;
    measured("a run over many invocations", {
      seconds,
      visibilitySeconds,
      "handed on": handedOn,
      "delivered again": outcomes.filter(({ receiveCount }) => Number(receiveCount) > 1).length,
    });
    assert.ok(handedOn >= 2, `${handedOn} handed on`);
  } finally {
    await service.stop();
  }
});

test("F6: output and content of one decision that are larger than an item go elsewhere, and are read back", async () => {
  const service = await startCountedService();
  try {
    const client = await service.clientOf("local");
    const files = Array.from({ length: 60 }, (_, index) => ({
      path: `f${index}.ts`,
      mode: "100644" as const,
      read: async () => Buffer.from(sourceText(index, 200_000)),
    }));
    const { tree } = await uploadTree({ client, files });
    const reads = files.map(({ path }) => ({ tool: "read_text_file", input: { path } }));
    const writes = Array.from({ length: 30 }, (_, index) => ({
      tool: "write_file",
      input: { path: `new/w${index}.ts`, content: sourceText(1000 + index, 31_000) },
    }));
    await client.executePlan({
      planId: "large",
      plan: {
        projectResources: { app: { tree } },
        decisions: [
          { id: "small", toolCalls: [{ tool: "write_file", input: { path: "a", content: "a" } }] },
          { id: "large", toolCalls: [...reads, ...writes] },
          {
            id: "after",
            dependsOn: ["large"],
            toolCalls: [{ tool: "read_text_file", input: { path: "a" } }],
          },
        ],
      },
    });
    const { state, counts } = await service.frontiers.ended({ planId: "large" });
    assert.deepEqual([state.phase, counts.landed, counts.toolCalls], ["completed", 3, 92]);
    const largest = Math.max(
      ...service.wire.calls
        .filter(({ operation }) => operation === "PutItem")
        .map(({ requestBytes }) => requestBytes),
    );
    measured("a decision with 60 outputs of 200 KB and 30 new files of 31 KB", {
      "largest item written": largest,
    });
    assert.ok(largest < 400 * 1024, `${largest} bytes in one item`);

    const found = [];
    for await (const decision of client.decisions({ planId: "large" })) found.push(decision);
    const [, large] = found;
    assert.ok(large && found.length === 3);
    assert.equal(large.calls.length, 90);
    for (const call of large.calls.slice(0, 60)) {
      assert.deepEqual(
        [call.status, call.outputSizeBytes, call.outputTruncated],
        ["succeeded", 200_000, true],
      );
    }
    let diffBytes = 0;
    for await (const page of client.diff({ planId: "large" })) diffBytes += page.length;
    assert.ok(diffBytes > 30 * 31_000);
  } finally {
    await service.stop();
  }
});

test("F8: a run of more than 1,000 steps ends, and its last steps cost what its first did", async () => {
  const decisions = 1050;
  const service = await startCountedService();
  try {
    const client = await service.clientOf("local");
    const text = sourceText(3, 64 * 1024);
    const { tree } = await uploadTree({
      client,
      files: [{ path: "f.ts", mode: "100644", read: async () => Buffer.from(text) }],
    });
    // Five times 64 KB of output fill a step: each decision is one.
    const read = { tool: "read_text_file", input: { path: "f.ts" } };
    const plan = {
      projectResources: { app: { tree } },
      decisions: Array.from({ length: decisions }, (_, index) => ({
        id: `d${index}`,
        toolCalls: [read, read, read, read, read],
      })),
    };
    const startedAt = performance.now();
    await client.executePlan({ planId: "steps", plan });
    const { state, counts, units } = await service.frontiers.ended({ planId: "steps" });
    assert.deepEqual([state.phase, counts.landed], ["completed", decisions]);
    assert.ok(units.steps > 1000, `${units.steps} steps`);
    const { calls } = service.wire;
    const [first, last] = [
      callsBetween(calls, { from: 0, to: 100 }),
      callsBetween(calls, { from: decisions - 101, to: decisions - 1 }),
    ].map((window) => unitsOf(window.calls));
    assert.ok(first && last);
    measured("a run of many steps", {
      steps: units.steps,
      seconds: (performance.now() - startedAt) / 1000,
      "write units of the first hundred": first.writeUnits,
      "of the last": last.writeUnits,
    });
    assert.ok(last.writeUnits <= 1.1 * first.writeUnits, `${last.writeUnits} against ${first.writeUnits}`);
    assert.ok(last.readUnits <= first.readUnits + 20);
    let events = 0;
    for await (const { seq } of client.events({ planId: "steps" })) {
      events += 1;
      assert.equal(seq, events);
    }
    assert.equal(events, decisions + 2);
  } finally {
    await service.stop();
  }
});
