import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { type PlanledgerClient, planledgerClient } from "#lib/client/planledger-client.ts";
import { uploadTree } from "#lib/client/upload-tree.ts";
import { ConflictError } from "#lib/errors/planledger-error.ts";
import { ledgerExport } from "#lib/ledger/ledger-export.ts";
import { verifyLedger } from "#lib/ledger/verify-ledger.ts";
import { type FileTree, withFile, withoutFile } from "#lib/tree/file-tree.testkit.ts";
import { type GitJudge, gitJudge } from "#lib/tree/git-judge.testkit.ts";
import { type EmbeddedService, startEmbeddedService } from "./start-embedded-service.ts";

const dataDir = mkdtempSync(join(tmpdir(), "apply-"));
let service: EmbeddedService;
let client: PlanledgerClient;
let git: GitJudge;
/** The apply worker dies in place of working, as a killed process would, as long as this says so. */
let workerDies = false;

const start = async (): Promise<void> => {
  service = await startEmbeddedService({
    port: 0,
    dataDir,
    wrapHandler: (name, handler) => async (event, context) => {
      if (name === "applyWorker" && workerDies) throw new Error("the process is gone");
      return handler(event, context);
    },
  });
  client = planledgerClient({ url: service.url, token: service.token });
};
before(async () => {
  git = await gitJudge();
  await start();
});
after(async () => {
  await service?.stop();
  await git?.close();
  rmSync(dataDir, { recursive: true, force: true });
});

const file = (text: string | Uint8Array, mode: "100644" | "100755" | "120000" = "100644") => ({
  mode,
  bytes: Buffer.from(text),
});

async function putProject(id: string, tree: FileTree): Promise<void> {
  const files = [...tree].map(([path, { mode, bytes }]) => ({ path, mode, read: async () => bytes }));
  const uploaded = await uploadTree({ client, files });
  await client.projects.put(id, { tree: uploaded.tree });
}

async function ran(plan: Readonly<Record<string, unknown>>, planId?: string) {
  const accepted = await client.executePlan({ plan, ...(planId === undefined ? {} : { planId }) });
  return settled(accepted.planId);
}

/** The status once the run has ended and no apply is under way. */
async function settled(planId: string) {
  for await (const _ of client.events({ planId, follow: true }));
  return client.planStatus({ planId });
}

const planOn = (project: string, toolCalls: readonly object[], more: object = {}) => ({
  projectResources: { app: { project } },
  decisions: [{ id: "d1", rationale: "asked for", toolCalls }],
  ...more,
});
const writes = (path: string, content: string | Uint8Array) => ({
  tool: "write_file",
  input: { path, content: Buffer.from(content).toString("base64"), encoding: "base64" },
});
const code = (expected: string) => (error: unknown) => {
  assert.ok(error instanceof ConflictError, String(error));
  assert.equal(error.code, expected, error.message);
  return true;
};

test("F15, F16, F17: after an apply the project's tree is git's, whatever its bytes; a rollback gives back the one of before", async () => {
  const large = randomBytes(150_000);
  const before: FileTree = new Map([
    ["crlf.txt", file("\ufeffone\r\ntwo\nthree")],
    ["dir b/größe.txt", file("moved and edited\n")],
    ["image.bin", file(Uint8Array.of(0, 1, 2, 255))],
    ["empty", file("")],
    ["run.sh", file("#!/bin/sh\n")],
  ]);
  await putProject("local/bytes", before);
  const plan = planOn("local/bytes", [
    { tool: "edit_file", input: { path: "crlf.txt", edits: [{ oldText: "two", newText: "2" }] } },
    { tool: "move_file", input: { source: "dir b/größe.txt", destination: "a b/ü.txt" } },
    { tool: "edit_file", input: { path: "a b/ü.txt", edits: [{ oldText: "edited", newText: "Edited" }] } },
    writes("image.bin", Uint8Array.of(255, 0, 1)),
    writes("large.bin", large),
    writes("new empty", ""),
    { tool: "delete_file", input: { path: "empty" } },
    { tool: "set_file_mode", input: { path: "run.sh", mode: "100755" } },
    { tool: "create_symlink", input: { path: "link", target: "a b/ü.txt" } },
  ]);
  const { planId, digest = "", phase, failures } = await ran(plan);
  assert.deepEqual([phase, failures], ["completed", []]);
  await client.apply({ planId, digest });
  const applied = await settled(planId);
  assert.deepEqual([applied.phase, applied.lastApply?.revision], ["applied", 2], applied.lastApply?.message);

  let tree = withoutFile(withoutFile(before, "empty"), "dir b/größe.txt");
  for (const [path, one] of [
    ["crlf.txt", file("\ufeffone\r\n2\nthree")],
    ["a b/ü.txt", file("moved and Edited\n")],
    ["image.bin", file(Uint8Array.of(255, 0, 1))],
    ["large.bin", file(large)],
    ["new empty", file("")],
    ["run.sh", file("#!/bin/sh\n", "100755")],
    ["link", file("a b/ü.txt", "120000")],
  ] as const) {
    tree = withFile(tree, path, one);
  }
  const project = await client.projects.get("local/bytes");
  assert.equal(project.gitTreeId, await git.treeId(tree));
  assert.deepEqual([project.changesetDigest, project.planId], [digest, planId]);

  const rollback = await client.derive({ planId, kind: "rollback", of: digest });
  let diffBytes = 0;
  for await (const page of client.derivedDiff({ planId, digest: rollback.digest })) diffBytes += page.length;
  assert.ok(diffBytes > 0);
  await client.rollback({ planId, digest: rollback.digest });
  const back = await settled(planId);
  assert.deepEqual(
    [back.phase, back.lastApply?.kind, back.lastApply?.status],
    ["completed", "rollback", "applied"],
  );
  assert.equal((await client.projects.get("local/bytes")).gitTreeId, await git.treeId(before));

  const traced: unknown[] = [];
  for await (const trace of client.trace({ planId, path: "a b/ü.txt" })) traced.push(trace.why);
  assert.deepEqual(traced, [
    [{ decisionId: "d1", rationale: "asked for" }],
    [{ decisionId: "d1", rationale: "asked for" }],
  ]);
  const made: unknown[] = [];
  for await (const revision of client.projects.revisions("local/bytes", { limit: 2 })) {
    made.push(revision.changesetDigest);
  }
  assert.deepEqual(made, [rollback.digest, digest, undefined]);
});

test("F13: ten applies of one digest at once make one revision, and every other caller is told why not", async () => {
  await putProject("local/ten", new Map([["a.txt", file("one\n")]]));
  const { planId, digest = "" } = await ran(planOn("local/ten", [writes("a.txt", "two\n")]));
  const outcomes = await Promise.allSettled(
    Array.from({ length: 10 }, () => client.apply({ planId, digest })),
  );
  const refusals = outcomes.flatMap((outcome) => (outcome.status === "rejected" ? [outcome.reason] : []));
  assert.equal(refusals.length, 9);
  for (const refusal of refusals) {
    assert.ok(refusal instanceof ConflictError);
    assert.ok(["apply_in_progress", "already_applied"].includes(refusal.code), refusal.message);
    assert.equal(refusal.details.digest, digest);
  }
  assert.equal((await settled(planId)).phase, "applied");
  assert.equal((await client.projects.get("local/ten")).revision, 2);
  await assert.rejects(client.apply({ planId, digest }), code("already_applied"));
});

test("F12: what was made on an empty base is stale once somebody else has filled it, and a merge says what is in the way", async () => {
  await putProject("local/empty", new Map());
  const plan = planOn("local/empty", [writes("a.txt", "mine\n")]);
  const { planId, digest = "" } = await ran(plan);
  const other = await ran(planOn("local/empty", [writes("a.txt", "theirs\n")]));
  await client.apply({ planId: other.planId, digest: other.digest ?? "" });
  assert.equal((await settled(other.planId)).phase, "applied");
  await assert.rejects(client.apply({ planId, digest }), code("target_moved"));
  await assert.rejects(client.derive({ planId, kind: "merge", of: digest }), (error) => {
    code("merge_conflict")(error);
    assert.ok(error instanceof ConflictError && Array.isArray(error.details.conflicts));
    return true;
  });
  assert.equal((await client.planStatus({ planId })).phase, "completed");
});

test("review: only another principal's approval of this digest lets it be applied", async () => {
  await putProject("local/review", new Map([["a.txt", file("one\n")]]));
  const plan = planOn("local/review", [writes("a.txt", "two\n")], { automationProfile: "review" });
  const { planId, digest = "" } = await ran(plan);
  await assert.rejects(client.apply({ planId, digest }), code("not_approved"));
  await assert.rejects(client.approve({ planId, digest }), code("self_approval"));
  const scopes = ["plans:read", "plans:approve"] as const;
  const own = await client.tokens.create({ principal: "owner", scopes: [...scopes] });
  const ownClient = planledgerClient({ url: service.url, token: own.token });
  await assert.rejects(ownClient.approve({ planId, digest }), code("self_approval"));
  const { token } = await client.tokens.create({ principal: "reviewer", scopes: [...scopes] });
  const reviewer = planledgerClient({ url: service.url, token });
  await reviewer.reject({ planId, digest, reason: "not yet" });
  await assert.rejects(client.apply({ planId, digest }), code("rejected"));
  await reviewer.approve({ planId, digest });
  await client.apply({ planId, digest });
  const status = await settled(planId);
  assert.deepEqual([status.phase, status.approval?.by], ["applied", "reviewer"]);
});

test("F21: an apply whose worker is killed is carried out after a restart of the service, once", async () => {
  await putProject("local/killed", new Map([["a.txt", file("one\n")]]));
  const { planId, digest = "" } = await ran(planOn("local/killed", [writes("a.txt", "two\n")]));
  workerDies = true;
  await client.apply({ planId, digest });
  assert.equal((await client.planStatus({ planId })).phase, "applying");
  await service.stop();
  workerDies = false;
  await start();
  assert.equal((await settled(planId)).phase, "applied");
  assert.equal((await client.projects.get("local/killed")).revision, 2);
  const exported: Buffer[] = [];
  const lines = async function* () {
    for await (const line of client.ledger({ planId })) yield line;
  };
  for await (const line of ledgerExport(lines())) exported.push(Buffer.from(line));
  const publicKey = readFileSync(service.publicKeyFile, "utf8");
  const verified = await verifyLedger({ ledger: exported, publicKey });
  assert.ok(verified.ok, JSON.stringify(verified));
});

test("auto: the apply follows the completed run, and following its events ends behind it", async () => {
  await putProject("local/auto", new Map([["a.txt", file("one\n")]]));
  const plan = planOn("local/auto", [writes("a.txt", "two\n")], { automationProfile: "auto" });
  const { phase, lastApply } = await ran(plan);
  assert.deepEqual([phase, lastApply?.by, lastApply?.revision], ["applied", "service", 2]);
});
