import assert from "node:assert/strict";
import { test } from "node:test";
import * as z from "zod/mini";
import { canonicalJson } from "#lib/canonical/canonical-json.ts";
import { contentSha256, contentState } from "#lib/content/content-state.ts";
import { InfrastructureError } from "#lib/errors/planledger-error.ts";
import { reconcileRuns } from "#lib/run/reconcile-runs.ts";
import { inMemoryService, lambdaContext, owner, queueEvent } from "../in-memory-service.testkit.ts";

const write = (content: string) => ({
  decisions: [{ id: "d1", toolCalls: [{ tool: "write_file", input: { path: "a.txt", content } }] }],
});
const path = "/v1/plans/p1/execute";

/** What a test reads of a JSON answer, without a schema: the handlers hold their replies to those already. */
const fields = (value: unknown): Record<string, unknown> => ({ ...Object(value) });

test("F13: two callers submit the same document at once: both get the same 202, and it runs once", async () => {
  const service = inMemoryService();
  const answers = await Promise.all([1, 2, 3].map(() => service.send(path, { body: write("x") })));
  assert.deepEqual(
    answers.map(({ status }) => status),
    [202, 202, 202],
  );
  assert.equal(new Set(answers.map(({ bytes }) => bytes.toString())).size, 1);
  await service.drain();
  const status = fields((await service.send("/v1/plans/p1")).json());
  assert.deepEqual([status.phase, status.run, status.entries], ["completed", 1, 1]);
});

test("F13: two callers submit different documents under one id at once: one 202, one 409 that says what stands", async () => {
  const service = inMemoryService();
  const answers = await Promise.all(
    ["x", "y"].map((content) => service.send(path, { body: write(content) })),
  );
  assert.deepEqual(answers.map(({ status }) => status).sort(), [202, 409]);
  const refused = answers.find(({ status }) => status === 409);
  const problem = fields(refused?.json());
  assert.equal(problem.code, "plan_exists");
  assert.equal(fields(problem.details).planId, "p1");
});

test("F5: the same submission long after any deduplication window is still one plan, whatever its phase", async () => {
  const service = inMemoryService();
  const first = await service.send(path, { body: write("x") });
  await service.drain();
  service.advanceClock(30 * 86_400_000);
  const again = await service.send(path, { body: { ...write("x"), automationProfile: "manual" } });
  assert.equal(again.status, 202);
  assert.equal(again.bytes.toString(), first.bytes.toString());
  assert.equal(service.hints.length, 0);
});

test("a submission whose hint cannot be sent is accepted, and the reconciler sends it", async () => {
  const service = inMemoryService();
  const noQueue = service.using({
    hints: {
      async send() {
        throw new InfrastructureError({ message: "no queue" });
      },
    },
  });
  assert.equal((await noQueue.send(path, { body: write("x") })).status, 202);
  assert.equal(service.hints.length, 0);
  await reconcileRuns({ dueByEpochSeconds: 9_999_999_999 }, service.ports);
  await service.drain();
  assert.equal(fields((await service.send("/v1/plans/p1")).json()).phase, "completed");
});

test("a crash between saving the plan and its run is made good by the same submission", async () => {
  const service = inMemoryService();
  const crashing = service.using({
    frontiers: {
      ...service.ports.frontiers,
      async create() {
        throw new InfrastructureError({ message: "crash" });
      },
    },
  });
  const lost = await crashing.send(path, { body: write("x") });
  assert.equal(lost.status, 503);
  assert.equal(lost.headers["retry-after"], "1");
  const again = await service.send(path, { body: write("x") });
  assert.equal(again.status, 202);
  await service.drain();
  assert.equal(fields((await service.send("/v1/plans/p1")).json()).phase, "completed");
});

test("a crash between saving the plan and listing it is made good by the same submission", async () => {
  const service = inMemoryService();
  const crashing = service.using({
    plans: {
      ...service.ports.plans,
      async enlist() {
        throw new InfrastructureError({ message: "crash" });
      },
    },
  });
  assert.equal((await crashing.send(path, { body: write("x") })).status, 503);
  const { serverPlanId } = fields((await service.send(path, { body: write("x") })).json());
  assert.equal(fields((await service.send(`/v1/plans/${serverPlanId}`)).json()).planId, "p1");
  const { plans } = z.parse(
    z.object({ plans: z.array(z.unknown()) }),
    (await service.send("/v1/plans")).json(),
  );
  assert.equal(plans.length, 1);
});

test("a submission writes the plan's run and its place in the list at once, and hints only when both stand", async () => {
  const service = inMemoryService();
  const begun = { run: Promise.withResolvers<void>(), place: Promise.withResolvers<void>() };
  const stood: string[] = [];
  const together = service.using({
    frontiers: {
      ...service.ports.frontiers,
      async create(run) {
        begun.run.resolve();
        await begun.place.promise;
        const created = await service.ports.frontiers.create(run);
        stood.push("run");
        return created;
      },
    },
    plans: {
      ...service.ports.plans,
      async enlist(plan) {
        begun.place.resolve();
        await begun.run.promise;
        await service.ports.plans.enlist(plan);
        stood.push("place");
      },
    },
    hints: {
      async send() {
        stood.push("hint");
      },
    },
  });
  assert.equal((await together.send(path, { body: write("x") })).status, 202);
  assert.deepEqual([stood.slice(0, 2).sort(), stood[2]], [["place", "run"], "hint"]);
});

test("another tenant's plan is not found, by either id, on every route; its id is free for one's own", async () => {
  const service = inMemoryService();
  const { serverPlanId } = fields((await service.send(path, { body: write("x") })).json());
  await service.drain();
  const stranger = { ...owner, tenant: "other" };
  for (const id of ["p1", String(serverPlanId)]) {
    for (const what of [
      "",
      "/decisions",
      "/events",
      "/changeset",
      "/diff",
      "/ledger",
      `/content/${"a".repeat(64)}`,
    ]) {
      const answer = await service.send(`/v1/plans/${id}${what}`, { caller: stranger });
      assert.equal(answer.status, 404, `${id}${what}`);
    }
    for (const what of ["pause", "resume", "cancel"]) {
      const answer = await service.send(`/v1/plans/${id}/${what}`, { caller: stranger, body: {} });
      assert.equal(answer.status, 404, `${id}/${what}`);
    }
  }
  assert.deepEqual(fields((await service.send("/v1/plans", { caller: stranger })).json()).plans, []);
  assert.equal((await service.send(path, { caller: stranger, body: write("y") })).status, 202);
});

test("both of a plan's ids lead to it", async () => {
  const service = inMemoryService();
  const { serverPlanId } = fields((await service.send(path, { body: write("x") })).json());
  const again = await service.send(`/v1/plans/${serverPlanId}/execute`, { body: write("x") });
  assert.equal(again.status, 202);
  await service.drain();
  const [own, given] = await Promise.all([
    service.send("/v1/plans/p1"),
    service.send(`/v1/plans/${serverPlanId}`),
  ]);
  assert.equal(own.bytes.toString(), given.bytes.toString());
});

test("a plan goes up as content and is submitted by its hash, staged content included", async () => {
  const service = inMemoryService();
  const bytes = Buffer.from(canonicalJson(write("x")));
  const sha256 = contentSha256(bytes);
  const missing = await service.send(path, { body: { contentSha256: sha256 } });
  assert.deepEqual(fields(fields(missing.json()).details).contents, [sha256]);
  service.ports.storesOf("acme").transfer.stage(sha256, bytes);
  const accepted = await service.send(path, { body: { contentSha256: sha256 } });
  assert.equal(accepted.status, 202);
  const inline = await service.send(path, { body: write("x") });
  assert.equal(inline.bytes.toString(), accepted.bytes.toString());
});

test("staged bytes with another hash are refused, and the plan is not taken", async () => {
  const service = inMemoryService();
  const sha256 = contentSha256(Buffer.from("{}"));
  service.ports.storesOf("acme").transfer.stage(sha256, Buffer.from("other"));
  const answer = await service.send(path, { body: { contentSha256: sha256 } });
  assert.equal(fields(answer.json()).code, "content_mismatch");
});

test("a project's revision is pinned when the plan is accepted, whatever is written to it later", async () => {
  const service = inMemoryService();
  const treeOf = async (text: string) => {
    const bytes = Buffer.from(text);
    const { sha256, sizeBytes, gitBlobId: gitId } = contentState(bytes, "100644");
    const entry = { kind: "file", name: "a.txt", mode: "100644", sha256, sizeBytes, gitId };
    const body = { contents: [bytes.toString("base64")], directories: [{ entries: [entry] }] };
    const answer = await service.send("/v1/content/packs", { body });
    assert.equal(answer.status, 200, answer.bytes.toString());
    const { directories } = fields(answer.json());
    assert.ok(Array.isArray(directories));
    return String(directories[0]);
  };
  const put = async (tree: string) => {
    const answer = await service.send("/v1/projects/local/app", { method: "PUT", body: { tree } });
    assert.ok(answer.status < 300, answer.bytes.toString());
  };
  await put(await treeOf("one\n"));
  const plan = {
    projectResources: { app: { project: "local/app" } },
    decisions: [
      {
        id: "d1",
        toolCalls: [
          { tool: "edit_file", input: { path: "a.txt", edits: [{ oldText: "one", newText: "won" }] } },
        ],
      },
    ],
  };
  assert.equal((await service.send(path, { body: plan })).status, 202);
  await put(await treeOf("two\n"));
  await service.drain();
  const diff = await service.send("/v1/plans/p1/diff");
  assert.match(diff.bytes.toString(), /-one\n\+won\n/);
  assert.equal((await service.send(path, { body: plan })).status, 202);
});

test("a body in base64, as gateways send what they take for binary, is read as it was", async () => {
  const service = inMemoryService();
  assert.equal((await service.send(path, { body: write("ü"), base64: true })).status, 202);
});

test("F4: a retry on the same warm worker finds no state of a first try that broke off", async () => {
  const service = inMemoryService();
  let broken = false;
  const worker = service.using({
    steps: {
      ...service.ports.steps,
      async putIfAbsent(key, step) {
        if (!broken) {
          broken = true;
          throw new InfrastructureError({ message: "the first try breaks off before its step is written" });
        }
        return service.ports.steps.putIfAbsent(key, step);
      },
    },
  }).worker;
  await service.send(path, { body: write("x") });
  const event = queueEvent([JSON.stringify(service.hints.shift())]);
  assert.deepEqual(await worker(event, lambdaContext()), { batchItemFailures: [{ itemIdentifier: "m0" }] });
  const retried = queueEvent([event.Records[0]?.body ?? ""], 2);
  assert.deepEqual(await worker(retried, lambdaContext()), { batchItemFailures: [] });
  const status = fields((await service.send("/v1/plans/p1")).json());
  assert.deepEqual([status.phase, status.entries, status.toolCalls], ["completed", 1, 1]);
});

test("F3: of a batch, only the message that fails comes back", async () => {
  const service = inMemoryService();
  await service.send(path, { body: write("x") });
  const hint = JSON.stringify(service.hints.shift());
  const outcome = await service.worker(queueEvent(["{}", hint, "no JSON"]), lambdaContext());
  assert.deepEqual(outcome.batchItemFailures, [{ itemIdentifier: "m0" }, { itemIdentifier: "m2" }]);
  assert.equal(fields((await service.send("/v1/plans/p1")).json()).phase, "completed");
});

test("logs name plan, tenant and request, and hold neither inputs nor tokens", async () => {
  const service = inMemoryService();
  await service.send(path, {
    body: write("a-secret-input"),
    headers: { authorization: "Bearer plt_secret" },
  });
  await service.drain();
  const request = service.logged.find(({ event }) => event === "request");
  assert.deepEqual(
    [request?.tenant, request?.planId, request?.requestId, request?.status],
    ["acme", "p1", "request-1", 202],
  );
  assert.ok(service.logged.some(({ event, planId }) => event === "run_advanced" && planId === "p1"));
  assert.doesNotMatch(JSON.stringify(service.logged), /a-secret-input|plt_secret/);
});

test("what nobody raised on purpose is a 500 that tells nothing, and stands in the log with its stack", async () => {
  const service = inMemoryService();
  const broken = service.using({
    plans: {
      ...service.ports.plans,
      async get() {
        throw new TypeError("secret detail");
      },
    },
  });
  const answer = await broken.send("/v1/plans/p1");
  assert.equal(answer.status, 500);
  assert.equal(fields(answer.json()).code, "internal");
  assert.doesNotMatch(answer.bytes.toString(), /secret detail|stack/);
  assert.ok(
    service.logged.some(({ message, stack }) => message === "secret detail" && String(stack).includes(".ts")),
  );
});
