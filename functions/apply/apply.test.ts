import assert from "node:assert/strict";
import { test } from "node:test";
import { InfrastructureError } from "#lib/errors/planledger-error.ts";
import { reconcileRuns } from "#lib/run/reconcile-runs.ts";
import { lambdaContext, queueEvent } from "../in-memory-service.testkit.ts";
import { applyScene, call, fields, planOn, refused, text, writes } from "./apply-scene.testkit.ts";

const base = { "README.md": "hello\n", "src/conf.ts": "export const port = 1;\n" };
const rename = planOn([
  [call("move_file", { source: "src/conf.ts", destination: "src/config.ts" })],
  [writes("README.md", "hello config\n")],
]);

test("F21: apply changes the project's content, in one revision that names the changeset, and ends as applied", async () => {
  const scene = applyScene();
  await scene.putProject(base);
  const digest = await scene.ran(rename);
  const accepted = await scene.apply(digest);
  assert.deepEqual([accepted.status, fields(accepted.json()).status], [202, "applying"]);
  assert.equal((await scene.status()).phase, "applying");
  assert.equal(await scene.file("README.md"), "hello\n");
  await scene.drain();
  const status = await scene.status();
  assert.equal(status.phase, "applied");
  assert.equal(status.digest, digest);
  const { status: outcome, revision, project, kind } = fields(status.lastApply);
  assert.deepEqual([outcome, revision, project, kind], ["applied", 2, "local/app", "sealed"]);
  assert.equal(await scene.file("README.md"), "hello config\n");
  assert.equal(await scene.file("src/config.ts"), base["src/conf.ts"]);
  assert.equal(await scene.file("src/conf.ts"), undefined);
  const [made, first] = await scene.revisions();
  assert.deepEqual([made?.revision, made?.changesetDigest, made?.planId], [2, digest, "p1"]);
  assert.equal(first?.changesetDigest, undefined);
  const changeset = fields((await scene.send("/v1/plans/p1/changeset")).json());
  assert.deepEqual(fields(changeset.resultGitTreeIds).app, made?.gitTreeId);
});

test("F13: of ten applies of one digest at once one begins, the others are told, and one revision comes of it", async () => {
  const scene = applyScene();
  await scene.putProject(base);
  const digest = await scene.ran(rename);
  const answers = await Promise.all(Array.from({ length: 10 }, () => scene.apply(digest)));
  assert.equal(answers.filter(({ status }) => status === 202).length, 1);
  for (const answer of answers.filter(({ status }) => status !== 202)) {
    assert.equal(refused(answer, "apply_in_progress").digest, digest);
  }
  await scene.drain();
  assert.equal((await scene.revisions()).length, 2);
  const again = await Promise.all(Array.from({ length: 3 }, () => scene.apply(digest)));
  for (const answer of again) assert.equal(refused(answer, "already_applied").digest, digest);
});

test("F12: a changeset made on an empty base, applied a second time under another plan, is stale", async () => {
  const scene = applyScene();
  await scene.putProject({});
  const plan = planOn([[writes("a.txt", "one\n")]]);
  const [first, second] = [await scene.ran(plan, "p1"), await scene.ran(plan, "p2")];
  assert.equal((await scene.apply(first, {}, "p1")).status, 202);
  await scene.drain();
  const details = refused(await scene.apply(second, {}, "p2"), "target_moved");
  assert.ok(Array.isArray(details.conflicts));
  const [conflict] = details.conflicts.map(fields);
  assert.deepEqual([conflict?.path, conflict?.expected, conflict?.reason], ["a.txt", null, "moved"]);
  assert.equal((await scene.status("p2")).phase, "completed");
  assert.equal((await scene.revisions()).length, 2);
});

test("what moves between the answer and the worker changes nothing, and lastApply lists what is in the way", async () => {
  const scene = applyScene();
  await scene.putProject(base);
  const digest = await scene.ran(rename);
  assert.equal((await scene.apply(digest)).status, 202);
  await scene.putProject({ ...base, "README.md": "somebody else's\n" });
  await scene.drain();
  const status = await scene.status();
  assert.equal(status.phase, "completed");
  const last = fields(status.lastApply);
  assert.deepEqual(
    [last.status, last.code, last.conflictCount, last.revision],
    ["conflicts", "target_moved", 1, 2],
  );
  assert.equal(await scene.file("README.md"), "somebody else's\n");
  assert.equal((await scene.revisions()).length, 2);
  assert.equal(text(status.message).startsWith("Completed"), true);
});

test("an apply whose worker fails again and again is given up with the reason, and the same digest can be applied again", async () => {
  const scene = applyScene();
  await scene.putProject(base);
  const digest = await scene.ran(rename);
  assert.equal((await scene.apply(digest)).status, 202);
  const message = JSON.stringify(scene.applies.shift());
  const { applyWorker, applyBurier } = scene.using({
    resources: {
      ...scene.ports.resources,
      async put() {
        throw new InfrastructureError({ message: "The table is throttled." });
      },
    },
  });
  const { batchItemFailures } = await applyWorker(queueEvent([message]), lambdaContext());
  assert.equal(batchItemFailures.length, 1);
  assert.equal((await scene.status()).phase, "applying");
  await applyBurier(queueEvent([message]), lambdaContext());
  const status = await scene.status();
  const last = fields(status.lastApply);
  assert.deepEqual([status.phase, last.status, last.code], ["completed", "failed", "dead_lettered"]);
  assert.match(text(last.message), /The table is throttled/);
  assert.equal((await scene.revisions()).length, 1);
  assert.equal((await scene.apply(digest)).status, 202);
  await scene.drain();
  assert.equal((await scene.status()).phase, "applied");
});

test("the dead letters' consumer carries an apply out when nothing is wrong any more, and lets go of what is no message", async () => {
  const scene = applyScene();
  await scene.putProject(base);
  const digest = await scene.ran(rename);
  await scene.apply(digest);
  const message = JSON.stringify(scene.applies.shift());
  const { batchItemFailures } = await scene.applyBurier(queueEvent([message, "{}"]), lambdaContext());
  assert.deepEqual(batchItemFailures, []);
  assert.equal((await scene.status()).phase, "applied");
  await scene.applyBurier(queueEvent([message], 9), lambdaContext());
  assert.equal((await scene.status()).phase, "applied");
});

test("a lost message is sent again by the reconciler, until the apply is over", async () => {
  const scene = applyScene();
  await scene.putProject(base);
  const digest = await scene.ran(rename);
  const { send } = scene.using({
    applies: {
      async send() {
        throw new InfrastructureError({ message: "no queue" });
      },
    },
  });
  assert.equal((await send("/v1/plans/p1/apply", { body: { digest } })).status, 202);
  assert.equal(scene.applies.length, 0);
  await reconcileRuns({ dueByEpochSeconds: 9_999_999_999 }, scene.ports);
  assert.equal(scene.applies.length, 1);
  await scene.drain();
  assert.equal((await scene.status()).phase, "applied");
  assert.deepEqual(await reconcileRuns({ dueByEpochSeconds: 9_999_999_999 }, scene.ports), { hints: 0 });
});
