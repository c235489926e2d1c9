// biome-ignore-all lint/suspicious/noTemplateCurlyInString: actions name their arguments so.
import assert from "node:assert/strict";
import { test } from "node:test";
import { canonicalSha256 } from "#lib/canonical/canonical-json.ts";
import { InfrastructureError, PlanledgerError } from "#lib/errors/planledger-error.ts";
import { maxSubmissionAttempts, type Refusal } from "#lib/submission/judge-submission-fault.ts";
import type { ReturnedMessage } from "#lib/submission/submission-returns.ts";
import { inMemoryService, lambdaContext } from "../in-memory-service.testkit.ts";
import { queueFunction } from "../queue-function.ts";
import { type SubmissionPorts, submitOnMessage } from "./submit-on-message.ts";

const fields = (value: unknown): Record<string, unknown> => ({ ...Object(value) });

const write = (content = "x") => ({
  decisions: [{ id: "d1", toolCalls: [{ tool: "write_file", input: { path: "a.txt", content } }] }],
});
const submission = (planId: string, plan: unknown = write(), more: object = {}) =>
  JSON.stringify({ v: 1, planId, plan, ...more });

const queues: SubmissionPorts["queues"] = {
  "planledger-submissions": { tenant: "acme", principal: "batch", scopes: ["plans:write"] },
  "planledger-globex": { tenant: "globex", principal: "batch", scopes: ["plans:write"] },
  "planledger-reader": { tenant: "acme", principal: "batch", scopes: ["plans:read"] },
};

interface Sent {
  readonly body: string;
  readonly attributes?: Readonly<Record<string, string>>;
  readonly queue?: string;
}

const submissionsScene = (replaced: Partial<SubmissionPorts> = {}) => {
  const service = inMemoryService();
  const later: (ReturnedMessage & { readonly attempt: number; readonly delaySeconds: number })[] = [];
  const refused: (ReturnedMessage & Refusal)[] = [];
  const handler = queueFunction({
    log: service.ports.log,
    handle: submitOnMessage({
      ...service.ports,
      tools: async () => service.ports.tools,
      quota: service.ports.quotas.submissions,
      queues,
      returns: {
        async later(message, again) {
          later.push({ ...message, ...again });
          return true;
        },
        async refuse(message, refusal) {
          refused.push({ ...message, ...refusal });
          return true;
        },
      },
      random: () => 0.5,
      ...replaced,
    }),
  });
  const deliver = async (messages: readonly Sent[]) => {
    const { batchItemFailures } = await handler(
      {
        Records: messages.map(({ body, attributes = {}, queue = "planledger-submissions" }, index) => ({
          messageId: `m${index}`,
          body,
          attributes: { ApproximateReceiveCount: "1" },
          messageAttributes: Object.fromEntries(
            Object.entries(attributes).map(([name, stringValue]) => [
              name,
              { stringValue, dataType: "String" },
            ]),
          ),
          eventSourceARN: `arn:aws:sqs:us-east-1:000000000000:${queue}`,
        })),
      },
      lambdaContext(),
    );
    return batchItemFailures.map(({ itemIdentifier }) => itemIdentifier);
  };
  return { ...service, service, later, refused, deliver };
};

/** A port that fails the first times that it is asked. */
const failing = (times: number, error: () => Error) => {
  const { frontiers } = inMemoryService().ports;
  let left = times;
  return {
    ...frontiers,
    create: async (...given: Parameters<typeof frontiers.create>) => {
      left -= 1;
      if (left >= 0) throw error();
      return frontiers.create(...given);
    },
  };
};

test("a message is submitted for the tenant and principal of its queue, as the route submits a body", async () => {
  const scene = submissionsScene();
  const failed = await scene.deliver([
    { body: submission("p1") },
    { body: submission("p1"), queue: "planledger-globex" },
  ]);
  assert.deepEqual(failed, []);
  await scene.drain();
  for (const tenant of ["acme", "globex"]) {
    const plan = await scene.ports.plans.get({ tenant, planId: "p1" });
    assert.deepEqual([plan?.tenant, plan?.submittedBy], [tenant, "batch"]);
    assert.equal((await scene.ports.frontiers.latest({ tenant, planId: "p1" }))?.state.phase, "completed");
  }
  // The same document over HTTP is the same plan.
  assert.equal((await scene.send("/v1/plans/p1/execute", { body: write() })).status, 202);
  assert.deepEqual([scene.later, scene.refused], [[], []]);
});

test("a message may name an action and arguments, or a document by its hash, as a request may", async () => {
  const scene = submissionsScene();
  const body = {
    ...{ id: "local/say", name: "say", version: "1", metadata: {} },
    arguments: { type: "object", properties: { text: { type: "string" } }, required: ["text"] },
    plan: {
      decisions: [
        { id: "d1", toolCalls: [{ tool: "write_file", input: { path: "a", content: "${{ args.text }}" } }] },
      ],
    },
  };
  await scene.ports.resources.put({
    ...{ tenant: "acme", kind: "actions", id: "local/say", v: 1, serverId: "srv", revision: 1, version: "1" },
    ...{ contentSha256: canonicalSha256(body), deleted: false, body, updatedBy: "ada", updatedAtEpochMs: 0 },
  });
  const [contentSha256 = ""] = await scene.ports
    .storesOf("acme")
    .content.put([Buffer.from(JSON.stringify(write("by hash")))]);
  assert.deepEqual(
    await scene.deliver([
      { body: submission("by-action", { action: "local/say", args: { text: "hello" } }) },
      { body: submission("by-hash", { contentSha256 }) },
      { body: submission("wrong", { action: "local/say", args: {} }) },
    ]),
    [],
  );
  await scene.drain();
  assert.match((await scene.send("/v1/plans/by-action/diff")).bytes.toString(), /\+hello/);
  assert.match((await scene.send("/v1/plans/by-hash/diff")).bytes.toString(), /\+by hash/);
  assert.deepEqual(
    scene.refused.map(({ code }) => code),
    ["input_invalid"],
  );
});

test("whoever sends cannot say for whom: not in the body, not beside it, not in the plan", async () => {
  const scene = submissionsScene();
  const body = submission("p1");
  const failed = await scene.deliver([
    { body: submission("p1", write(), { tenant: "globex" }) },
    { body: submission("p1", write(), { principal: "ada" }) },
    { body: submission("p1", write(), { scopes: ["plans:approve"] }) },
    { body, attributes: { tenant: "globex" } },
    { body, attributes: { principal: "acme" } },
    { body: submission("p1", { ...write(), tenant: "globex" }) },
  ]);
  assert.deepEqual(failed, []);
  assert.equal(scene.refused.length, 6);
  for (const { code } of scene.refused) assert.equal(code, "validation_failed");
  for (const { message } of scene.refused.slice(0, 5)) assert.match(message, /cannot say for whom/);
  for (const tenant of ["acme", "globex"]) {
    assert.equal(await scene.ports.plans.get({ tenant, planId: "p1" }), undefined);
  }
});

test("what is no submission is refused with the reason, the rest of its batch is taken", async () => {
  const scene = submissionsScene();
  const bodies = [
    "",
    "{",
    "[]",
    '{"v":1,"planId":"p","planId":"q","plan":{}}',
    JSON.stringify({ v: 2, planId: "p", plan: write() }),
    JSON.stringify({ v: 1, plan: write() }),
    JSON.stringify({ v: 1, planId: "p" }),
    submission("not an id"),
    submission("pln_01M8PGWBGGT0Z02R01HBC7Q01Q"),
    submission("p", { decisions: [{ id: "d1", toolCalls: [{ tool: "none", input: {} }] }] }),
    submission("good"),
  ];
  assert.deepEqual(await scene.deliver(bodies.map((body) => ({ body }))), []);
  assert.deepEqual(
    scene.refused
      .map(({ body, code }) => [bodies.indexOf(body), code])
      .sort(([one], [other]) => Number(one) - Number(other)),
    [
      [0, "malformed_json"],
      [1, "malformed_json"],
      [2, "validation_failed"],
      [3, "validation_failed"],
      [4, "validation_failed"],
      [5, "validation_failed"],
      [6, "validation_failed"],
      [7, "validation_failed"],
      [8, "validation_failed"],
      [9, "unknown_tool"],
    ],
  );
  await scene.drain();
  assert.equal(fields((await scene.send("/v1/plans/good")).json()).phase, "completed");
});

test("another document under an id that stands is refused; a queue without the scope submits nothing", async () => {
  const scene = submissionsScene();
  await scene.deliver([{ body: submission("p1", write("one")) }]);
  await scene.deliver([
    { body: submission("p1", write("another")) },
    { body: submission("p2"), queue: "planledger-reader" },
  ]);
  assert.deepEqual(scene.refused.map(({ code, queue }) => `${code} ${queue}`).sort(), [
    "forbidden planledger-reader",
    "plan_exists planledger-submissions",
  ]);
  assert.equal(await scene.ports.plans.get({ tenant: "acme", planId: "p2" }), undefined);
});

test("over a quota, and in an outage, a message goes back onto its queue with its attempt and a jittered delay", async () => {
  const quota = () =>
    new PlanledgerError({
      code: "quota_exceeded",
      message: "Too many plans a minute.",
      retryable: true,
      details: { retryAfterSeconds: 40 },
    });
  const outage = () => new InfrastructureError({ message: "The table does not answer." });
  const delays: (readonly [number, number])[] = [];
  for (const [error, attributes] of [
    [quota, {}],
    [outage, {}],
    [outage, { attempt: "1" }],
    [outage, { attempt: "5" }],
    [outage, { attempt: "60" }],
    [outage, { attempt: "nonsense" }],
  ] as const) {
    const scene = submissionsScene({ frontiers: failing(1, error) });
    assert.deepEqual(await scene.deliver([{ body: submission("p1"), attributes }]), []);
    assert.deepEqual(scene.refused, []);
    const [again] = scene.later;
    assert.ok(again);
    assert.equal(again.body, submission("p1"));
    delays.push([again.attempt, again.delaySeconds]);
  }
  assert.deepEqual(delays, [
    [1, 45],
    [1, 2],
    [2, 3],
    [6, 48],
    [61, 675],
    [1, 2],
  ]);
});

test("a message that was put off is the same plan when it comes again; one that never can be taken is refused at last", async () => {
  const scene = submissionsScene({
    frontiers: failing(1, () => new InfrastructureError({ message: "The table does not answer." })),
  });
  await scene.deliver([{ body: submission("p1") }]);
  const [again] = scene.later;
  assert.ok(again);
  await scene.deliver([{ body: again.body, attributes: { attempt: String(again.attempt) } }]);
  assert.deepEqual([scene.later.length, scene.refused.length], [1, 0]);
  assert.deepEqual(
    scene.hints.map(({ planId }) => planId),
    ["p1"],
  );

  const hopeless = submissionsScene({
    frontiers: failing(1, () => new InfrastructureError({ message: "The table does not answer." })),
  });
  await hopeless.deliver([
    { body: submission("p1"), attributes: { attempt: String(maxSubmissionAttempts - 1) } },
  ]);
  assert.deepEqual([hopeless.later.length, hopeless.refused[0]?.code], [0, "unavailable"]);
  assert.match(hopeless.refused[0]?.message ?? "", /^Given up after 100 attempts\. /);
});

test("a fault of ours, and a message that cannot be sent on, comes back by itself, alone of its batch", async () => {
  const broken = submissionsScene({ frontiers: failing(1, () => new Error("a defect")) });
  assert.deepEqual(await broken.deliver([{ body: submission("p1") }, { body: submission("p2") }]), ["m0"]);
  assert.deepEqual([broken.later, broken.refused], [[], []]);

  const full = submissionsScene({ returns: { later: async () => false, refuse: async () => false } });
  assert.deepEqual(await full.deliver([{ body: "{" }, { body: submission("p1") }]), ["m0"]);

  const unsent = submissionsScene({
    returns: {
      later: async () => Promise.reject(new InfrastructureError({ message: "The queue does not answer." })),
      refuse: async () => Promise.reject(new InfrastructureError({ message: "The queue does not answer." })),
    },
  });
  assert.deepEqual(await unsent.deliver([{ body: "{" }]), ["m0"]);

  const elsewhere = submissionsScene();
  assert.deepEqual(await elsewhere.deliver([{ body: submission("p1"), queue: "planledger-decisions" }]), [
    "m0",
  ]);
});

test("no log holds what was submitted", async () => {
  const scene = submissionsScene();
  await scene.deliver([
    { body: submission("p1", write("hush-hush")) },
    { body: `{"hush-hush` },
    { body: submission("p1", { decisions: "hush-hush" }) },
  ]);
  assert.ok(scene.logged.length > 0);
  assert.doesNotMatch(JSON.stringify(scene.logged), /hush-hush/);
  assert.deepEqual(scene.logged.map(({ event, code }) => `${event} ${code ?? ""}`.trim()).sort(), [
    "submission_refused malformed_json",
    "submission_refused validation_failed",
    "submission_taken",
  ]);
});
