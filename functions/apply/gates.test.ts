import assert from "node:assert/strict";
import { test } from "node:test";
import { openStoredExecutor } from "#lib/runtime/stored-executor.ts";
import { builtinTools } from "#lib/tools/builtin/builtin-tools.ts";
import { ToolRegistry } from "#lib/tools/tool-registry.ts";
import { ToolRunner } from "#lib/tools/tool-runner.ts";
import { inMemoryService, lambdaContext, owner, queueEvent } from "../in-memory-service.testkit.ts";
import { applyScene, bob, call, fields, planOn, refused, text, writes } from "./apply-scene.testkit.ts";

const base = { "a.txt": "one\n" };
const change = [[writes("a.txt", "two\n")], [writes("b.txt", "b\n")]];
const nobody = "0".repeat(64);

test("apply: each thing that can refuse it has a code of its own, and a refusal changes nothing", async () => {
  const scene = applyScene();
  await scene.putProject(base);
  const submitted = await scene.send("/v1/plans/p1/execute", { body: planOn(change) });
  assert.equal(submitted.status, 202);
  assert.equal(refused(await scene.apply(nobody), "not_sealed").phase, "submitted");
  await scene.drain();
  const digest = text((await scene.status()).digest);
  assert.equal(refused(await scene.apply(nobody), "digest_mismatch").digest, digest);
  refused(await scene.apply(digest, {}, "p9"), "not_found", 404);
  refused(await scene.apply("abc"), "validation_failed", 422);
  assert.equal(refused(await scene.apply(digest, { only: ["d1"] }), "derived_changeset_needed").of, digest);
  refused(await scene.send("/v1/plans/p1/rollback", { body: { digest } }), "derived_changeset_needed");
  assert.equal((await scene.judge("reject", digest, bob)).status, 202);
  assert.equal(refused(await scene.apply(digest), "rejected").by, "bob");
  assert.equal((await scene.status()).phase, "completed");
  assert.equal((await scene.judge("approve", digest, bob)).status, 202);
  assert.equal((await scene.apply(digest)).status, 202);
  assert.equal(refused(await scene.apply(digest), "apply_in_progress").digest, digest);
  refused(await scene.judge("reject", digest, bob), "apply_in_progress");
  await scene.drain();
  assert.equal(refused(await scene.apply(digest), "already_applied").digest, digest);
  refused(await scene.judge("reject", digest, bob), "already_applied");
  assert.equal((await scene.revisions()).length, 2);
});

test("a plan that names no project, and one whose project is gone, say where they can be applied", async () => {
  const scene = applyScene();
  const digest = await scene.ran({ decisions: [{ id: "d1", toolCalls: [writes("a", "x")] }] });
  const answer = await scene.apply(digest);
  refused(answer, "no_project");
  assert.match(answer.bytes.toString(), /--to DIR/);
  await scene.putProject(base);
  const other = await scene.ran(planOn(change), "p2");
  await scene.send("/v1/projects/local/app", { method: "DELETE" });
  refused(await scene.apply(other, {}, "p2"), "no_project");
});

const failing = planOn([[writes("a.txt", "two\n")], [call("delete_file", { path: "nothing" })]]);

test("F23: a failed run is applied only when the caller says so, and its changeset stays whatever comes of it", async () => {
  const scene = applyScene();
  await scene.putProject(base);
  const digest = await scene.ran(failing);
  assert.equal(refused(await scene.apply(digest), "run_failed").phase, "failed");
  assert.equal((await scene.apply(digest, { allowFailed: true })).status, 202);
  await scene.drain();
  assert.equal((await scene.status()).phase, "applied");
  assert.equal(await scene.file("a.txt"), "two\n");
  const changeset = fields((await scene.send("/v1/plans/p1/changeset")).json());
  assert.equal(changeset.digest, digest);
  refused(await scene.send("/v1/plans/p1/resume", { body: {} }), "already_applied");
});

test("F23: a cancelled run keeps its changeset, and an apply that conflicts keeps it too", async () => {
  const scene = applyScene();
  await scene.putProject(base);
  await scene.send("/v1/plans/p1/execute", { body: planOn(change) });
  await scene.send("/v1/plans/p1/cancel", { body: {} });
  const digest = text((await scene.status()).digest);
  refused(await scene.apply(digest), "run_failed");
  const second = await scene.ran(planOn(change), "p2");
  assert.equal((await scene.apply(second, {}, "p2")).status, 202);
  await scene.putProject({ "a.txt": "moved\n" });
  await scene.drain();
  for (const [planId, sealed] of [
    ["p1", digest],
    ["p2", second],
  ]) {
    const changeset = fields((await scene.send(`/v1/plans/${planId}/changeset`)).json());
    assert.deepEqual([changeset.state, changeset.digest], ["sealed", sealed]);
  }
  assert.match((await scene.send("/v1/plans/p2/diff")).bytes.toString(), /^-one\n\+two$/m);
});

test("after a resume the digest of before is superseded, and no verdict on it counts any more", async () => {
  const scene = applyScene();
  await scene.putProject(base);
  const first = await scene.ran(failing);
  const toolCalls = { d2: [writes("b.txt", "b\n")] };
  assert.equal((await scene.send("/v1/plans/p1/resume", { body: { toolCalls } })).status, 202);
  assert.equal(refused(await scene.apply(first, { allowFailed: true }), "superseded").supersededBy, 2);
  await scene.drain();
  assert.equal(refused(await scene.apply(first), "superseded").run, 1);
  refused(await scene.judge("approve", first, bob), "superseded");
  const digest = text((await scene.status()).digest);
  assert.notEqual(digest, first);
  assert.equal((await scene.apply(digest)).status, 202);
  await scene.drain();
  assert.deepEqual([await scene.file("a.txt"), await scene.file("b.txt")], ["two\n", "b\n"]);
});

test("review: nobody approves their own plan, with whatever token; another's approval holds for one digest", async () => {
  const scene = applyScene();
  await scene.putProject(base);
  const digest = await scene.ran(planOn(change, { automationProfile: "review" }));
  assert.equal(refused(await scene.apply(digest), "not_approved").digest, digest);
  assert.equal(refused(await scene.judge("approve", digest, owner), "self_approval").principal, "ada");
  const otherToken = { ...owner, scopes: ["plans:approve"] as const };
  refused(await scene.judge("approve", digest, otherToken), "self_approval");
  refused(await scene.judge("approve", digest, { ...bob, scopes: ["plans:write"] }), "forbidden", 403);
  refused(await scene.judge("approve", nobody, bob), "digest_mismatch");
  refused(await scene.apply(digest), "not_approved");
  assert.equal((await scene.judge("approve", digest, bob)).status, 202);
  const { approval } = await scene.status();
  assert.deepEqual(
    [fields(approval).digest, fields(approval).verdict, fields(approval).by],
    [digest, "approved", "bob"],
  );
  const part = fields((await scene.derive({ kind: "partial", of: digest, only: ["d2"] })).json());
  refused(await scene.apply(text(part.digest)), "not_approved");
  assert.equal((await scene.apply(digest)).status, 202);
  await scene.drain();
  assert.equal((await scene.status()).phase, "applied");
});

test("review: who resumed a plan cannot approve it either", async () => {
  const scene = applyScene();
  await scene.putProject(base);
  await scene.ran({ ...failing, automationProfile: "review" });
  const toolCalls = { d2: [writes("b.txt", "b\n")] };
  const resumed = await scene.send("/v1/plans/p1/resume", { body: { toolCalls }, caller: bob });
  assert.equal(resumed.status, 202);
  await scene.drain();
  const digest = text((await scene.status()).digest);
  refused(await scene.judge("approve", digest, bob), "self_approval");
  refused(await scene.judge("approve", digest, owner), "self_approval");
  assert.equal((await scene.judge("approve", digest, { ...owner, principal: "eve" })).status, 202);
});

test("a project's least strict profile refuses laxer plans, at submission and when it grew stricter before the apply", async () => {
  const scene = applyScene();
  await scene.putProject(base);
  const digest = await scene.ran(planOn(change));
  await scene.putProject(base, { leastStrictProfile: "review" });
  assert.equal(refused(await scene.apply(digest), "profile_too_lax").leastStrictProfile, "review");
  for (const automationProfile of ["auto", "manual"]) {
    const answer = await scene.send("/v1/plans/p2/execute", { body: planOn(change, { automationProfile }) });
    assert.equal(refused(answer, "profile_too_lax").profile, automationProfile);
  }
  const plan = planOn(change, { automationProfile: "review" });
  assert.equal((await scene.send("/v1/plans/p3/execute", { body: plan })).status, 202);
  const tree = await scene.treeOf(base);
  const wrong = await scene.send("/v1/projects/local/app", {
    method: "PUT",
    body: { tree, settings: { leastStrictProfile: "lax" } },
  });
  refused(wrong, "unknown_profile", 422);
});

test("auto: an apply follows a completed run by itself; a failed run is left alone, and a refusal stands in lastApply", async () => {
  const scene = applyScene();
  await scene.putProject(base);
  const auto = { automationProfile: "auto" };
  await scene.ran(planOn(change, auto));
  const status = await scene.status();
  assert.deepEqual([status.phase, fields(status.lastApply).by], ["applied", "service"]);
  assert.equal((await scene.revisions()).length, 2);

  await scene.ran(planOn([[call("delete_file", { path: "nothing" })]], auto), "p2");
  const failed = await scene.status("p2");
  assert.deepEqual([failed.phase, failed.lastApply], ["failed", undefined]);

  await scene.ran(planOn([[writes("c.txt", "c\n")]], { ...auto, projectResources: {} }), "p3");
  const nowhere = await scene.status("p3");
  assert.deepEqual([nowhere.phase, fields(nowhere.lastApply).code], ["completed", "no_project"]);
});

test("auto: the reconciler begins an apply whose message was lost", async () => {
  const { reconcileRuns } = await import("#lib/run/reconcile-runs.ts");
  const scene = applyScene();
  await scene.putProject(base);
  await scene.send("/v1/plans/p1/execute", {
    body: planOn(change, { automationProfile: "auto" }),
  });
  const hint = scene.hints.shift();
  await scene.worker(queueEvent([JSON.stringify(hint)]), lambdaContext());
  scene.applies.length = 0;
  assert.equal((await scene.status()).phase, "completed");
  await reconcileRuns({ dueByEpochSeconds: 9_999_999_999 }, scene.ports);
  assert.equal(scene.applies.length, 1);
  await scene.drain();
  assert.equal((await scene.status()).phase, "applied");
  await reconcileRuns({ dueByEpochSeconds: 9_999_999_999 }, scene.ports);
  assert.deepEqual([scene.applies.length, scene.hints.length], [0, 0]);
});

/** A service with a tool that reaches outside; `charged` counts what it did there. */
function externalScene() {
  const service = inMemoryService();
  const charged: unknown[] = [];
  const registry = new ToolRegistry([
    ...builtinTools(),
    {
      name: "charge",
      description: "Charges somebody.",
      inputSchema: { type: "object" },
      effect: "external",
      async run(input) {
        charged.push(input);
        return { output: "charged" };
      },
    },
  ]);
  const { send, worker } = service.using({
    tools: registry,
    openExecutor: openStoredExecutor({
      treesOf: (tenant) => service.ports.storesOf(tenant).trees,
      runner: new ToolRunner({ registry }),
      clock: service.ports.clock,
    }),
  });
  return { charged, ...applyScene({ ...service, send, worker }), worker };
}

const charging = planOn(
  [
    [writes("a.txt", "two\n")],
    [call("charge", { amount: 1 })],
    [call("charge", { amount: 2 })],
    [writes("b.txt", "b\n")],
  ],
  { automationProfile: "review" },
);

async function work(scene: ReturnType<typeof externalScene>): Promise<void> {
  for (let hint = scene.hints.shift(); hint !== undefined; hint = scene.hints.shift()) {
    await scene.worker(queueEvent([JSON.stringify(hint)]), lambdaContext());
  }
}

test("review: a run stops before each decision with external calls, and an approval releases that decision alone", async () => {
  const scene = externalScene();
  await scene.putProject(base);
  await scene.send("/v1/plans/p1/execute", { body: charging });
  await work(scene);
  const waiting = await scene.status();
  const first = fields(waiting.waitingFor);
  assert.deepEqual([waiting.phase, first.decisionId, scene.charged.length], ["running", "d2", 0]);
  refused(await scene.judge("approve", text(first.digest), owner), "self_approval");
  refused(await scene.judge("approve", nobody, bob), "digest_mismatch");
  assert.equal((await scene.judge("approve", text(first.digest), bob)).status, 202);
  await work(scene);
  assert.equal(scene.charged.length, 1);
  const second = fields((await scene.status()).waitingFor);
  assert.equal(second.decisionId, "d3");
  assert.notEqual(second.digest, first.digest);
  refused(await scene.judge("approve", text(first.digest), bob), "digest_mismatch");
  assert.equal((await scene.judge("reject", text(second.digest), bob)).status, 202);
  await work(scene);
  const ended = await scene.status();
  assert.deepEqual([ended.phase, scene.charged.length, ended.waitingFor], ["failed", 1, undefined]);
  const counts = fields(ended.counts);
  assert.deepEqual([counts.landed, counts.failed], [3, 1]);
  assert.ok(Array.isArray(ended.failures));
  assert.deepEqual(
    ended.failures.map(fields).map(({ decisionId, code }) => [decisionId, code]),
    [["d3", "rejected"]],
  );
});

test("review: a further run with other calls asks anew, and what succeeded outside is not done again", async () => {
  const scene = externalScene();
  await scene.putProject(base);
  await scene.send("/v1/plans/p1/execute", { body: charging });
  await work(scene);
  const first = text(fields((await scene.status()).waitingFor).digest);
  await scene.judge("approve", first, bob);
  await work(scene);
  const second = text(fields((await scene.status()).waitingFor).digest);
  await scene.judge("reject", second, bob);
  await work(scene);
  const toolCalls = { d3: [call("charge", { amount: 3 })] };
  assert.equal((await scene.send("/v1/plans/p1/resume", { body: { toolCalls } })).status, 202);
  await work(scene);
  const third = text(fields((await scene.status()).waitingFor).digest);
  assert.equal(new Set([first, second, third]).size, 3);
  refused(await scene.judge("approve", second, bob), "digest_mismatch");
  assert.equal(scene.charged.length, 1);
  await scene.judge("approve", third, bob);
  await work(scene);
  const ended = await scene.status();
  assert.deepEqual([ended.phase, scene.charged], ["completed", [{ amount: 1 }, { amount: 3 }]]);
});

test("review: a run that waits is paused, resumed and cancelled like any other, and no hint lets it go on", async () => {
  const scene = externalScene();
  await scene.putProject(base);
  await scene.send("/v1/plans/p1/execute", { body: charging });
  await work(scene);
  const { digest } = fields((await scene.status()).waitingFor);
  for (const what of ["pause", "resume"]) {
    assert.equal((await scene.send(`/v1/plans/p1/${what}`, { body: {} })).status, 202);
    await work(scene);
  }
  const resumed = await scene.status();
  assert.deepEqual([resumed.phase, fields(resumed.waitingFor).digest], ["running", digest]);
  assert.equal(scene.charged.length, 0);
  await scene.send("/v1/plans/p1/pause", { body: {} });
  assert.equal((await scene.judge("approve", text(digest), bob)).status, 202);
  await work(scene);
  assert.equal(scene.charged.length, 0);
  await scene.send("/v1/plans/p1/cancel", { body: {} });
  await work(scene);
  const cancelled = await scene.status();
  assert.deepEqual(
    [cancelled.phase, cancelled.waitingFor, scene.charged.length],
    ["cancelled", undefined, 0],
  );
});
