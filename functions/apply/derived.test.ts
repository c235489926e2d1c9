import assert from "node:assert/strict";
import { test } from "node:test";
import type { Caller } from "#lib/access/caller.ts";
import { ledgerExport } from "#lib/ledger/ledger-export.ts";
import { type LedgerBodyLine, ledgerBodyLineSchema } from "#lib/ledger/ledger-line.ts";
import { verifyLedger } from "#lib/ledger/verify-ledger.ts";
import { owner } from "../in-memory-service.testkit.ts";
import {
  type ApplyScene,
  applyScene,
  bob,
  call,
  fields,
  planOn,
  refused,
  text,
  writes,
} from "./apply-scene.testkit.ts";

const lines = (changed: Readonly<Record<number, string>> = {}): string =>
  Array.from({ length: 12 }, (_, index) => `${changed[index] ?? `line ${index}`}\n`).join("");
const base = { "a.txt": lines(), "b.txt": "b\n" };
const plan = planOn([
  [writes("a.txt", lines({ 1: "ours" }))],
  [writes("b.txt", "changed\n")],
  [writes("c.txt", "new\n"), call("delete_file", { path: "b.txt" })],
]);

const derived = async (scene: ApplyScene, body: object): Promise<Record<string, unknown>> => {
  const answer = await scene.derive(body);
  assert.equal(answer.status, 201, answer.bytes.toString());
  return fields(answer.json());
};
const applied = async (scene: ApplyScene, digest: unknown, more: object = {}): Promise<void> => {
  const answer = await scene.apply(text(digest), more);
  assert.equal(answer.status, 202, answer.bytes.toString());
  await scene.drain();
  assert.equal(fields((await scene.status()).lastApply).status, "applied");
};

test("a target that moved takes a merge: derived under its own digest, shown, applied, and then the whole is applied", async () => {
  const scene = applyScene();
  await scene.putProject(base);
  const digest = await scene.ran(plan);
  await scene.putProject({ ...base, "a.txt": lines({ 10: "theirs" }) });
  refused(await scene.apply(digest), "target_moved");
  const merge = await derived(scene, { kind: "merge", of: digest });
  assert.deepEqual([merge.kind, merge.of, merge.entryCount], ["merge", digest, 3]);
  assert.notEqual(merge.digest, digest);
  const again = await derived(scene, { kind: "merge", of: digest });
  assert.equal(again.digest, merge.digest);
  const shown = fields((await scene.send(`/v1/plans/p1/changesets/${merge.digest}?limit=2`)).json());
  assert.ok(Array.isArray(shown.entries) && shown.entries.length === 2);
  const rest = fields(
    (
      await scene.send(
        `/v1/plans/p1/changesets/${merge.digest}?cursor=${encodeURIComponent(text(shown.cursor))}`,
      )
    ).json(),
  );
  assert.ok(Array.isArray(rest.entries) && rest.entries.length === 1);
  const diff = (await scene.send(`/v1/plans/p1/changesets/${merge.digest}/diff`)).bytes.toString();
  assert.match(diff, /^-line 1\n\+ours$/m);
  await applied(scene, merge.digest);
  assert.equal(await scene.file("a.txt"), lines({ 1: "ours", 10: "theirs" }));
  assert.equal((await scene.status()).phase, "applied");
  assert.equal(refused(await scene.apply(digest), "already_applied").digest, merge.digest);
  assert.equal(refused(await scene.apply(text(merge.digest)), "already_applied").digest, merge.digest);
});

test("what both changed is a conflict: listed, nothing is kept, and the project stays as it is", async () => {
  const scene = applyScene();
  await scene.putProject(base);
  const digest = await scene.ran(plan);
  await scene.putProject({ ...base, "a.txt": lines({ 1: "theirs" }) });
  const details = refused(await scene.derive({ kind: "merge", of: digest }), "merge_conflict");
  assert.ok(Array.isArray(details.conflicts));
  assert.deepEqual(
    details.conflicts.map(fields).map(({ path, reason }) => [path, reason]),
    [["a.txt", "overlap"]],
  );
  assert.equal(await scene.file("a.txt"), lines({ 1: "theirs" }));
});

test("a part brings what it needs, says so, and leaves the plan in the phase of its run's end", async () => {
  const scene = applyScene();
  await scene.putProject(base);
  const digest = await scene.ran(plan);
  refused(await scene.derive({ kind: "partial", of: digest }), "validation_failed", 422);
  refused(await scene.derive({ kind: "merge", of: digest, only: ["d1"] }), "validation_failed", 422);
  refused(await scene.derive({ kind: "partial", of: digest, only: ["d9"] }), "validation_failed", 422);
  const part = await derived(scene, { kind: "partial", of: digest, only: ["d3"] });
  assert.deepEqual(part.only, ["d3"]);
  assert.ok(Array.isArray(part.added));
  assert.deepEqual(
    part.added.map(fields).map(({ decisionId }) => decisionId),
    ["d2"],
  );
  await applied(scene, part.digest);
  const status = await scene.status();
  assert.deepEqual([status.phase, fields(status.lastApply).kind], ["completed", "partial"]);
  assert.deepEqual(
    [await scene.file("a.txt"), await scene.file("b.txt"), await scene.file("c.txt")],
    [base["a.txt"], undefined, "new\n"],
  );
  refused(await scene.apply(text(part.digest)), "already_applied");
  refused(await scene.apply(digest), "target_moved");
  const rest = await derived(scene, { kind: "merge", of: digest });
  assert.equal(rest.entryCount, 1);
  await applied(scene, rest.digest);
  assert.equal((await scene.status()).phase, "applied");
});

test("a part can be made of a plan that names no project, since it can be applied to a directory", async () => {
  const scene = applyScene();
  const { projectResources: _, ...rest } = planOn([[writes("a.txt", "a\n")], [writes("b.txt", "b\n")]]);
  const digest = await scene.ran(rest);
  const part = await derived(scene, { kind: "partial", of: digest, only: ["d2"] });
  assert.equal(part.entryCount, 1);
  refused(await scene.apply(text(part.digest)), "no_project");
  refused(await scene.derive({ kind: "merge", of: digest }), "no_project");
});

test("a rollback restores the tree of before, says so, and what it undid can be applied and undone again", async () => {
  const scene = applyScene();
  await scene.putProject(base);
  const before = (await scene.project()).gitTreeId;
  const digest = await scene.ran(plan);
  refused(await scene.derive({ kind: "rollback", of: digest }), "not_applied");
  for (let round = 0; round < 2; round += 1) {
    await applied(scene, digest);
    const rollback = await derived(scene, { kind: "rollback", of: digest });
    assert.deepEqual([rollback.undoes, rollback.externalEffects], [digest, []]);
    const rolledBack = await scene.send("/v1/plans/p1/rollback", { body: { digest: rollback.digest } });
    assert.equal(rolledBack.status, 202, rolledBack.bytes.toString());
    await scene.drain();
    const status = await scene.status();
    const last = fields(status.lastApply);
    assert.deepEqual(
      [status.phase, last.kind, last.status, last.undoes],
      ["completed", "rollback", "applied", digest],
    );
    assert.equal((await scene.project()).gitTreeId, before);
    refused(
      await scene.send("/v1/plans/p1/rollback", { body: { digest: rollback.digest } }),
      "already_applied",
    );
    refused(await scene.derive({ kind: "rollback", of: digest }), "not_applied");
  }
  assert.equal((await scene.revisions()).length, 5);
});

test("a part that is rolled back after the rest was applied leaves a plan that is not applied as a whole", async () => {
  const scene = applyScene();
  await scene.putProject(base);
  const digest = await scene.ran(plan);
  const part = await derived(scene, { kind: "partial", of: digest, only: ["d1"] });
  await applied(scene, part.digest);
  const rest = await derived(scene, { kind: "merge", of: digest });
  await applied(scene, rest.digest);
  const rollback = await derived(scene, { kind: "rollback", of: part.digest });
  await scene.send("/v1/plans/p1/rollback", { body: { digest: rollback.digest } });
  await scene.drain();
  assert.equal((await scene.status()).phase, "completed");
  assert.deepEqual([await scene.file("a.txt"), await scene.file("c.txt")], [base["a.txt"], "new\n"]);
  const again = await derived(scene, { kind: "merge", of: digest });
  await applied(scene, again.digest);
  assert.equal((await scene.status()).phase, "applied");
});

test("a part of a run that was resumed is rolled back once, whatever lands after it", async () => {
  const scene = applyScene();
  await scene.putProject(base);
  const failing = planOn([
    [writes("c.txt", "new\n")],
    [call("edit_file", { path: "none", edits: [{ oldText: "a", newText: "b" }] })],
  ]);
  const first = await scene.ran(failing);
  const part = await derived(scene, { kind: "partial", of: first, only: ["d1"] });
  await applied(scene, part.digest, { allowFailed: true });
  const toolCalls = { d2: [writes("b.txt", "changed\n")] };
  assert.equal((await scene.send("/v1/plans/p1/resume", { body: { toolCalls } })).status, 202);
  await scene.drain();
  const digest = text((await scene.status()).digest);
  const rollback = await derived(scene, { kind: "rollback", of: part.digest });
  const rollBack = (of: unknown) => scene.send("/v1/plans/p1/rollback", { body: { digest: of } });
  assert.equal((await rollBack(rollback.digest)).status, 202);
  await scene.drain();
  assert.equal(await scene.file("c.txt"), undefined);
  refused(await scene.derive({ kind: "rollback", of: part.digest }), "not_applied");
  await applied(scene, digest);
  refused(await scene.derive({ kind: "rollback", of: part.digest }), "not_applied");
  assert.equal(await scene.file("c.txt"), "new\n");
});

test("of two rollbacks of one apply, made on two states of the project, one is carried out", async () => {
  const scene = applyScene();
  await scene.putProject(base);
  const digest = await scene.ran(plan);
  const part = await derived(scene, { kind: "partial", of: digest, only: ["d1"] });
  await applied(scene, part.digest);
  const one = await derived(scene, { kind: "rollback", of: part.digest });
  await scene.putProject({ ...base, "a.txt": lines({ 1: "ours" }), "d.txt": "other work\n" });
  const other = await derived(scene, { kind: "rollback", of: part.digest });
  assert.notEqual(one.digest, other.digest);
  const rollBack = (of: unknown) => scene.send("/v1/plans/p1/rollback", { body: { digest: of } });
  assert.equal((await rollBack(one.digest)).status, 202);
  await scene.drain();
  // Now the whole holds what the part held, and nothing but a rollback of the whole takes that back.
  await applied(scene, digest);
  refused(await rollBack(other.digest), "not_applied");
  const again = await rollBack(one.digest);
  refused(again, "already_applied");
  assert.match(
    text(fields(again.json()).detail),
    new RegExp(`apply what it undid again \\(${part.digest}\\)`),
  );
  assert.equal((await scene.status()).phase, "applied");
  assert.equal(await scene.file("a.txt"), lines({ 1: "ours" }));
});

test("a rollback on which later work stands is refused with the conflicts", async () => {
  const scene = applyScene();
  await scene.putProject(base);
  const digest = await scene.ran(plan);
  await applied(scene, digest);
  const rollback = await derived(scene, { kind: "rollback", of: digest });
  await scene.putProject({ "a.txt": lines({ 1: "later" }), "c.txt": "new\n" });
  refused(await scene.send("/v1/plans/p1/rollback", { body: { digest: rollback.digest } }), "target_moved");
  const details = refused(await scene.derive({ kind: "rollback", of: digest }), "merge_conflict");
  assert.ok(Array.isArray(details.conflicts));
  assert.deepEqual(
    details.conflicts.map(fields).map(({ path }) => path),
    ["a.txt"],
  );
  assert.equal((await scene.status()).phase, "applied");
});

test("under review a derived changeset passes the gate anew", async () => {
  const scene = applyScene();
  await scene.putProject(base);
  const digest = await scene.ran({ ...plan, automationProfile: "review" });
  assert.equal((await scene.judge("approve", digest, bob)).status, 202);
  await applied(scene, digest);
  const rollback = await derived(scene, { kind: "rollback", of: digest });
  const order = { body: { digest: rollback.digest } };
  refused(await scene.send("/v1/plans/p1/rollback", order), "not_approved");
  assert.equal((await scene.judge("approve", text(rollback.digest), bob)).status, 202);
  assert.equal((await scene.send("/v1/plans/p1/rollback", order)).status, 202);
  await scene.drain();
  assert.equal((await scene.status()).phase, "completed");
});

test("review: who chose what lands by deriving it cannot approve it, nor what is merged from it; whoever makes it again can", async () => {
  const scene = applyScene();
  await scene.putProject(base);
  const digest = await scene.ran({ ...plan, automationProfile: "review" });
  const deriving = async (body: object, caller: Caller): Promise<Record<string, unknown>> => {
    const answer = await scene.send("/v1/plans/p1/changesets", { body, caller });
    assert.equal(answer.status, 201, answer.bytes.toString());
    return fields(answer.json());
  };
  const carol = { ...bob, principal: "carol" };
  const dave = { ...bob, principal: "dave" };
  const part = await deriving({ kind: "partial", of: digest, only: ["d1"] }, bob);
  assert.equal(part.derivedBy, "bob");
  assert.match(
    text(refused(await scene.judge("approve", text(part.digest), bob), "self_approval").principal),
    /bob/,
  );
  await scene.putProject({ ...base, "a.txt": lines({ 10: "theirs" }) });
  const merged = await deriving({ kind: "merge", of: part.digest }, carol);
  for (const caller of [bob, carol, owner]) {
    refused(await scene.judge("approve", text(merged.digest), caller), "self_approval");
  }
  // The same changeset, made again by somebody else, stays its first maker's.
  assert.equal((await deriving({ kind: "merge", of: part.digest }, dave)).derivedBy, "carol");
  const shown = fields((await scene.send(`/v1/plans/p1/changesets/${merged.digest}`)).json());
  assert.equal(shown.derivedBy, "carol");
  assert.equal((await scene.judge("reject", text(merged.digest), carol)).status, 202);
  assert.equal((await scene.judge("approve", text(merged.digest), dave)).status, 202);
  // What was submitted is bob's to approve as before.
  assert.equal((await scene.judge("approve", digest, bob)).status, 202);
});

test("review: who makes a rollback cannot approve it, but who made what it undoes can", async () => {
  const scene = applyScene();
  await scene.putProject(base);
  const digest = await scene.ran({ ...plan, automationProfile: "review" });
  const carol = { ...bob, principal: "carol" };
  const send = async (body: object, caller: Caller) =>
    fields((await scene.send("/v1/plans/p1/changesets", { body, caller })).json());
  const part = await send({ kind: "partial", of: digest, only: ["d1"] }, bob);
  assert.equal((await scene.judge("approve", text(part.digest), carol)).status, 202);
  await applied(scene, part.digest);
  const rollback = await send({ kind: "rollback", of: part.digest }, carol);
  refused(await scene.judge("approve", text(rollback.digest), carol), "self_approval");
  assert.equal((await scene.judge("approve", text(rollback.digest), bob)).status, 202);
});

test("F22: what is derived is shown by its lines, from content that was kept", async () => {
  const scene = applyScene();
  await scene.putProject(base);
  const digest = await scene.ran(plan);
  const part = await derived(scene, { kind: "partial", of: digest, only: ["d2"] });
  const diff = (await scene.send(`/v1/plans/p1/changesets/${part.digest}/diff`)).bytes.toString();
  assert.match(diff, /^-b\n\+changed$/m);
  refused(await scene.send(`/v1/plans/p1/changesets/${digest}`), "not_found", 404);
  refused(await scene.send("/v1/plans/p1/changesets/x/diff"), "not_found", 404);
});

test("changes are traced from path to decision, call and reasons, and on to the revision in which they stand", async () => {
  const scene = applyScene();
  await scene.putProject(base);
  const decisions = [
    { id: "d1", parentId: "d0", rationale: "tidy up", toolCalls: [] },
    {
      id: "d2",
      parentId: "d1",
      rationale: "b first",
      toolCalls: [writes("b.txt", "x\n"), writes("b.txt", "y\n")],
    },
    { id: "d3", toolCalls: [call("move_file", { source: "b.txt", destination: "c.txt" })] },
  ];
  const digest = await scene.ran({ ...plan, decisionRootId: "d0", decisions });
  const traced = async (query: string): Promise<readonly Record<string, unknown>[]> => {
    const answer = await scene.send(`/v1/plans/p1/trace?${query}`);
    assert.equal(answer.status, 200, answer.bytes.toString());
    const { traces } = fields(answer.json());
    assert.ok(Array.isArray(traces));
    return traces.map(fields);
  };
  const [first, second, third] = await traced("path=b.txt");
  assert.deepEqual(first?.why, [
    { decisionId: "d2", rationale: "b first" },
    { decisionId: "d1", rationale: "tidy up" },
    { decisionId: "d0" },
  ]);
  assert.deepEqual([fields(first?.call).tool, fields(second?.call).callOrdinal], ["write_file", 1]);
  assert.deepEqual([fields(third?.entry).kind, third?.revisions], ["delete", []]);
  await applied(scene, digest);
  const [made] = await traced("path=c.txt&resource=app");
  assert.equal(fields(made?.entry).movedFrom, "b.txt");
  assert.deepEqual(made?.revisions, [{ project: "local/app", revision: 2, digest, kind: "sealed" }]);
  assert.equal((await traced("decision=d2")).length, 2);
  assert.equal((await traced("decision=d3&path=c.txt")).length, 1);
  assert.equal((await traced("path=nothing")).length, 0);
  refused(await scene.send("/v1/plans/p1/trace"), "validation_failed", 422);
  refused(await scene.send("/v1/plans/p1/trace?decision=d9"), "not_found", 404);
  const page = fields((await scene.send("/v1/plans/p1/trace?path=b.txt&limit=2")).json());
  const cursor = encodeURIComponent(text(page.cursor));
  assert.equal((await traced(`path=b.txt&limit=2&cursor=${cursor}`)).length, 1);
});

test("the ledger goes on after the seal, over many verdicts and applies, and all of it verifies", async () => {
  const scene = applyScene();
  await scene.putProject(base);
  const digest = await scene.ran(plan);
  for (let round = 0; round < 20; round += 1) {
    assert.equal((await scene.judge("reject", digest, bob)).status, 202);
    assert.equal((await scene.judge("approve", digest, bob)).status, 202);
  }
  await applied(scene, digest);
  const rollback = await derived(scene, { kind: "rollback", of: digest });
  await scene.send("/v1/plans/p1/rollback", { body: { digest: rollback.digest } });
  await scene.drain();
  const types: unknown[] = [];
  const ledger: LedgerBodyLine[] = [];
  for (const [what, add] of [
    ["events", (page: Record<string, unknown>) => Array.isArray(page.events) && types.push(...page.events)],
    [
      "ledger",
      (page: Record<string, unknown>) =>
        Array.isArray(page.lines) &&
        ledger.push(...page.lines.map((line) => ledgerBodyLineSchema.parse(line))),
    ],
  ] as const) {
    let cursor: unknown;
    do {
      const query = cursor === undefined ? "" : `&cursor=${encodeURIComponent(text(cursor))}`;
      const page = fields((await scene.send(`/v1/plans/p1/${what}?limit=7${query}`)).json());
      add(page);
      cursor = page.ended === true ? undefined : page.cursor;
    } while (cursor !== undefined);
  }
  assert.deepEqual(
    types.map(fields).map(({ seq }) => seq),
    Array.from({ length: types.length }, (_, index) => index + 1),
  );
  assert.deepEqual(
    types
      .map(fields)
      .slice(-4)
      .map(({ type }) => type),
    ["changeset_apply_started", "changeset_applied", "changeset_apply_started", "changeset_rolled_back"],
  );
  const file: string[] = [];
  for await (const line of ledgerExport(ledger)) file.push(line);
  const publicKey = await scene.ports.signer.publicKey();
  const verified = await verifyLedger({ ledger: file.map((line) => Buffer.from(line)), publicKey });
  assert.ok(verified.ok, JSON.stringify(verified));
  assert.equal(verified.records, types.length);
  const heads = ledger.filter(({ kind }) => kind === "head");
  assert.equal(heads.length, 40 + 4);
});
