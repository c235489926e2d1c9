import assert from "node:assert/strict";
import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { type EmbeddedService, startEmbeddedService } from "#infra/local/start-embedded-service.ts";
import { type Scratch, scratch } from "./files/scratch.testkit.ts";
import { commandRunner } from "./run-in-process.testkit.ts";

let service: EmbeddedService;
let dir: Scratch;
let run: ReturnType<typeof commandRunner>;
let review: ReturnType<typeof commandRunner>;

before(async () => {
  [service, dir] = await Promise.all([startEmbeddedService({ port: 0 }), scratch()]);
  run = commandRunner({ url: service.url, token: service.token, cwd: dir.path });
  const scopes = "plans:read,plans:write,plans:approve";
  const made = await run("token", "create", "--scopes", scopes, "--principal", "reviewer");
  review = commandRunner({ url: service.url, token: made.stdout.trim(), cwd: dir.path });
});
after(async () => {
  await service?.stop();
  await dir?.[Symbol.asyncDispose]();
});

const lines = "one\ntwo\nthree\nfour\nfive\nsix\nseven\neight\n";

interface Revision {
  readonly revision: number;
  readonly gitTreeId: string;
  readonly planId?: string;
  readonly changesetDigest?: string;
}

/** A project of its own with a plan that was run on it; `id` names both. */
async function scene(id: string, profile = "manual") {
  await mkdir(join(dir.path, id));
  const put = async (content: string) => {
    await dir.put({ [`${id}/a.txt`]: content });
    const imported = await run("project", "import", id, "--id", `local/${id}`);
    assert.equal(imported.exitCode, 0, imported.stderr);
  };
  await put(lines);
  const plan = `
name: ${id}
decisionRootId: request
automationProfile: ${profile}
projectResources: { app: { project: local/${id} } }
decisions:
  - { id: d1, parentId: request, rationale: one is too few, toolCalls: [{ tool: edit_file, input: { path: a.txt, edits: [{ oldText: one, newText: ONE }] } }] }
  - { id: d2, parentId: d1, rationale: a place of its own, toolCalls: [{ tool: write_file, input: { path: b.txt, content: "b\\n" } }] }
  - { id: d3, parentId: d1, rationale: in Italian, toolCalls: [{ tool: edit_file, input: { path: a.txt, edits: [{ oldText: ONE, newText: uno }] } }] }
`;
  await dir.put({ [`${id}.yaml`]: plan });
  const executed = (await run("plan", "execute", `${id}.yaml`, "--id", id, "--watch", "--json")).json();
  assert.equal(executed.phase, "completed");
  const digest: string = executed.digest;
  const log = async (): Promise<readonly Revision[]> =>
    (await run("project", "log", `local/${id}`, "--json")).json().revisions;
  return { digest, put, log };
}

test("apply waits and says the revision; log, status and explain tell it; rollback shows itself, then is done", async () => {
  const { digest, log } = await scene("round");
  const applied = await run("plan", "apply", "round", "--digest", digest);
  assert.equal(applied.exitCode, 0, applied.stderr);
  assert.match(applied.stdout, /✓ round {2}Applied: it made revision 2 of local\/round\./);
  const [second, first] = await log();
  assert.deepEqual([second?.revision, second?.planId, second?.changesetDigest], [2, "round", digest]);
  assert.notEqual(second?.gitTreeId, first?.gitTreeId);
  assert.match((await run("plan", "status", "round")).stdout, /applied +local\/round revision 2 by owner/);

  const decision = (await run("plan", "explain", "round", "d3", "--json")).json();
  assert.deepEqual(decision.revisions, [{ project: "local/round", revision: 2, digest, kind: "sealed" }]);
  const path = await run("plan", "explain", "round", "--path", "a.txt");
  assert.match(path.stdout, /a\.txt {2}2 changes/);
  assert.match(
    path.stdout,
    /modify by d3[\s\S]*why +d3: in Italian\n +because +d1: one is too few\n +because +request\n/,
  );
  assert.match(path.stdout, /applied +local\/round revision 2/);
  const unknown = await run("plan", "explain", "round", "--path", "c.txt", "--json");
  assert.deepEqual([unknown.exitCode, unknown.json().error.code], [1, "not_found"]);
  assert.equal((await run("plan", "explain", "round", "d1", "--path", "a.txt")).exitCode, 2);

  const shown = await run("plan", "rollback", "round");
  assert.equal(shown.exitCode, 0, shown.stderr);
  assert.match(shown.stdout, new RegExp(`^undoes ${digest}\n[\\s\\S]*a\\.txt +\\+1 -1\n +b\\.txt +-1`));
  assert.equal((await log()).length, 2, "showing it changes nothing");
  const command = /roll back +planledger (.*)$/m.exec(shown.stdout)?.[1]?.split(" ") ?? [];
  const done = await run(...command);
  assert.equal(done.exitCode, 0, done.stderr);
  const [third] = await log();
  assert.deepEqual([third?.revision, third?.gitTreeId], [3, first?.gitTreeId]);
  assert.match((await run("plan", "status", "round")).stdout, /rolled back +local\/round revision 3/);
  const nothing = await run("plan", "rollback", "round", "--json");
  assert.deepEqual([nothing.exitCode, nothing.json().error.code], [1, "not_applied"]);
});

test("F12, F21: what is applied is applied once, and a wrong digest is never taken for another", async () => {
  const { digest, log } = await scene("once");
  const wrong = await run("plan", "apply", "once", "--digest", digest.slice(0, 12));
  assert.equal(wrong.exitCode, 2);
  assert.match(wrong.stderr, /whole digest, 64/);
  const other = await run("plan", "apply", "once", "--digest", "f".repeat(64), "--json");
  assert.deepEqual([other.exitCode, other.json().error.code], [1, "digest_mismatch"]);
  const begun = await run("plan", "apply", "once", "--digest", digest, "--no-watch", "--json");
  assert.deepEqual([begun.exitCode, begun.json().status], [0, "applying"]);
  const second = await run("plan", "apply", "once", "--digest", digest, "--json");
  assert.equal(second.exitCode, 1);
  assert.match(second.json().error.code, /^(apply_in_progress|already_applied)$/);
  const giveUp = AbortSignal.timeout(60_000);
  while ((await run("plan", "status", "once", "--json")).json().phase !== "applied") giveUp.throwIfAborted();
  assert.equal((await log()).length, 2);
});

test("a project that moved: the merge is shown with its digest and nothing is applied; the command it names applies it", async () => {
  const { digest, put, log } = await scene("moved");
  await put(lines.replace("eight", "EIGHT"));
  const shown = await run("plan", "apply", "moved", "--digest", digest, "--json");
  assert.equal(shown.exitCode, 1, "it was not applied");
  const { status, conflicts, derived } = shown.json();
  assert.deepEqual(
    [status, conflicts[0].path, derived.kind, derived.of],
    ["target_moved", "a.txt", "merge", digest],
  );
  assert.deepEqual(
    derived.diffStat.map(({ path, added, removed }: Record<string, unknown>) => [path, added, removed]),
    [
      ["a.txt", 1, 1],
      ["b.txt", 1, 0],
    ],
  );
  const text = await run("plan", "apply", "moved", "--digest", digest);
  assert.match(
    text.stdout,
    /local\/moved has moved; nothing was applied:\n +✗ a\.txt +expected [0-9a-f]{12}/,
  );
  assert.equal((await log()).length, 2);
  assert.match((await run("plan", "diff", "moved", "--digest", derived.digest)).stdout, /^-one\n\+uno$/m);
  assert.equal(derived.next.length, 1);
  const applied = await run(...derived.next[0].split(" ").slice(1), "--json");
  assert.deepEqual([applied.exitCode, applied.json().revision], [0, 3]);
  const exported = await run("project", "export", "local/moved", "--to", "out-moved");
  assert.equal(exported.exitCode, 0, exported.stderr);
});

test("what can not be merged is listed: path, expected, found, why; nothing is changed", async () => {
  const { digest, put, log } = await scene("conflict");
  await put(lines.replace("one", "eins"));
  const refused = await run("plan", "apply", "conflict", "--digest", digest);
  assert.equal(refused.exitCode, 1);
  assert.match(
    refused.stderr,
    /✗ a\.txt +expected [0-9a-f]{12} \(\d+ bytes\) +found [0-9a-f]{12} \(\d+ bytes\) +both changed the same lines/,
  );
  assert.match(refused.stderr, /\(merge_conflict, request /);
  assert.equal((await log()).length, 2);
});

test("--only makes a part with what it needs, says why, and stops; its digest applies it", async () => {
  const { digest, log } = await scene("part");
  const shown = await run("plan", "apply", "part", "--digest", digest, "--only", "d3");
  assert.equal(shown.exitCode, 0, shown.stderr);
  assert.match(shown.stdout, /^d3: 1 decision added\n +\+ d1 +d3 works on a\.txt, which it wrote\n/);
  assert.equal((await log()).length, 1, "showing it changes nothing");
  const command = /apply it +planledger (.*)$/m.exec(shown.stdout)?.[1]?.split(" ") ?? [];
  const applied = await run(...command, "--json");
  assert.deepEqual([applied.exitCode, applied.json().kind], [0, "partial"]);
  assert.equal((await run("plan", "status", "part", "--json")).json().phase, "completed");
  const unknown = await run("plan", "apply", "part", "--digest", digest, "--only", "d9", "--json");
  assert.equal(unknown.exitCode, 1);
});

test("review: not without an approval, not by oneself, not after a rejection; the approved digest lands", async () => {
  const { digest } = await scene("gated", "review");
  const code = async (who: typeof run, ...args: readonly string[]) =>
    (await who("plan", ...args, "--digest", digest, "--json")).json().error?.code;
  assert.equal(await code(run, "apply", "gated"), "not_approved");
  assert.equal(await code(run, "approve", "gated"), "self_approval");
  assert.equal(await code(review, "reject", "gated", "--reason", "not now"), undefined);
  assert.equal(await code(run, "apply", "gated"), "rejected");
  assert.match((await run("plan", "status", "gated")).stdout, /rejected +by reviewer/);
  assert.equal(await code(review, "approve", "gated"), undefined);
  assert.match((await run("plan", "status", "gated")).stdout, /approved +by reviewer/);
  const part = await run("plan", "apply", "gated", "--digest", digest, "--only", "d2", "--json");
  assert.match(
    part.json().next[0],
    /^planledger plan approve gated --digest /,
    "another digest needs another approval",
  );
  assert.equal((await run("plan", "apply", "gated", "--digest", digest)).exitCode, 0);
});
