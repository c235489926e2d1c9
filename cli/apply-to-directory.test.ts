import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { cp, mkdir, readdir, readFile, rm, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { type EmbeddedService, startEmbeddedService } from "#infra/local/start-embedded-service.ts";
import { planledgerClient } from "#lib/client/planledger-client.ts";
import { withDirectoryLock } from "./files/directory-lock.ts";
import { type Scratch, scratch } from "./files/scratch.testkit.ts";
import { planledger } from "./planledger.testkit.ts";
import { commandRunner } from "./run-in-process.testkit.ts";

/** How many points of an apply the process is killed at. */
const kills = Number(process.env.KILL_RUNS ?? 5);

const plan = `
name: reshape
projectResources: { app: { project: local/app } }
decisions:
  - id: edit
    toolCalls:
      - { tool: edit_file, input: { path: src/a.txt, edits: [{ oldText: "one", newText: "uno" }] } }
      - { tool: edit_file, input: { path: "häßlich b/x.txt", edits: [{ oldText: "old", newText: "new" }] } }
  - id: make
    toolCalls:
      - { tool: write_file, input: { path: deep/er/new.txt, content: "new\\n" } }
      - { tool: create_symlink, input: { path: link, target: src/a.txt } }
      - { tool: write_file, input: { path: bytes.bin, content: "AAEC/w==", encoding: base64 } }
  - id: drop
    toolCalls:
      - { tool: delete_file, input: { path: gone/only.txt } }
      - { tool: set_file_mode, input: { path: run.sh, mode: "100755" } }
`;
const base = {
  "src/a.txt": "one\ntwo\n",
  "src/b.txt": "untouched\n",
  "häßlich b/x.txt": "old\r\n",
  "gone/only.txt": "x\n",
  "run.sh": "#!/bin/sh\n",
  ".gitignore": "node_modules\n",
};

let service: EmbeddedService;
let dir: Scratch;
let run: ReturnType<typeof commandRunner>;
let digest = "";
/** Tree ids before and after, by git. */
const trees = { before: "", after: "" };

before(async () => {
  [service, dir] = await Promise.all([startEmbeddedService({ port: 0 }), scratch()]);
  run = commandRunner({ url: service.url, token: service.token, cwd: dir.path });
  await mkdir(join(dir.path, "base"));
  for (const [path, content] of Object.entries(base)) await dir.put({ [`base/${path}`]: content });
  dir.git("init", "-q", "base");
  gitIn("base", "add", "--all");
  gitIn("base", "commit", "-qm", "base");
  await dir.put({ "base/node_modules/left/alone.js": "untouched\n", "plan.yaml": plan });
  trees.before = await treeOf("base");
  const imported = await run("project", "import", "base", "--id", "local/app", "--json");
  assert.equal(imported.json().gitTreeId, trees.before, imported.stderr);
  const executed = await run("plan", "execute", "plan.yaml", "--id", "reshape", "--watch", "--json");
  assert.equal(executed.json().phase, "completed", executed.stdout);
  digest = executed.json().digest;
});
after(async () => {
  await service?.stop();
  await dir?.[Symbol.asyncDispose]();
});

const gitIn = (name: string, ...args: readonly string[]) =>
  dir.git("-C", name, "-c", "core.autocrlf=false", ...args);

/** A copy of the base directory with its repository. */
async function copyOf(name: string): Promise<string> {
  const path = join(dir.path, name);
  await cp(join(dir.path, "base"), path, { recursive: true, verbatimSymlinks: true });
  return path;
}

/** What `git write-tree` says of all files that git does not ignore. */
async function treeOf(name: string): Promise<string> {
  gitIn(name, "add", "--all");
  return gitIn(name, "write-tree").trim();
}

async function assertAlone(path: string): Promise<void> {
  assert.equal(await readFile(join(path, "node_modules/left/alone.js"), "utf8"), "untouched\n");
  assert.equal(await readFile(join(path, "src/b.txt"), "utf8"), "untouched\n");
}

const applyTo = (to: string, ...more: readonly string[]) =>
  run("plan", "apply", "reshape", "--digest", digest, "--to", to, ...more);

test("the reviewed digest lands in a directory whole, git agrees on the tree, and the plan's phase stays", async () => {
  const path = await copyOf("whole");
  const applied = await applyTo("whole", "--json");
  assert.equal(applied.exitCode, 0, applied.stderr);
  assert.deepEqual(applied.json().changed.length, 7);
  trees.after = await treeOf("whole");
  const { digest: sealed, phase } = (await run("plan", "status", "reshape", "--json")).json();
  assert.deepEqual([sealed, phase], [digest, "completed"]);
  const promised = await fetch(`${service.url}/v1/plans/reshape/changeset`, {
    headers: { authorization: `Bearer ${service.token}` },
  });
  const body: unknown = await promised.json();
  assert.ok(typeof body === "object" && body !== null && "resultGitTreeIds" in body);
  assert.deepEqual(body.resultGitTreeIds, { app: trees.after });
  await assertAlone(path);
  assert.deepEqual(await readdir(join(path, ".planledger")), [".gitignore", "apply.lock"]);
});

test("F12: the same digest a second time is refused as applied, and changes nothing", async () => {
  await copyOf("twice");
  assert.equal((await applyTo("twice")).exitCode, 0);
  const tree = await treeOf("twice");
  const second = await applyTo("twice", "--json");
  assert.deepEqual([second.exitCode, second.json().error.code], [1, "already_applied"]);
  assert.equal(await treeOf("twice"), tree);
});

test("a second time is refused as applied also where a directory took a file's place, and a file a directory's", async () => {
  await dir.put({
    "swap/file": "a file\n",
    "swap/folder/in": "in\n",
    "swap.yaml": `
decisions:
  - id: remove
    toolCalls:
      - { tool: delete_file, input: { path: file } }
      - { tool: delete_file, input: { path: folder/in } }
  - id: make
    dependsOn: [remove]
    toolCalls:
      - { tool: write_file, input: { path: file/in, content: "in\\n" } }
      - { tool: write_file, input: { path: folder, content: "a file\\n" } }
`,
  });
  const args = ["plan", "execute", "swap.yaml", "--project", "swap", "--id", "swap", "--watch", "--json"];
  const executed = await run(...args);
  assert.equal(executed.json().phase, "completed", executed.stdout);
  const apply = ["plan", "apply", "swap", "--digest", executed.json().digest, "--to", "swap", "--json"];
  assert.equal((await run(...apply)).exitCode, 0);
  assert.equal(await readFile(join(dir.path, "swap/file/in"), "utf8"), "in\n");
  assert.equal(await readFile(join(dir.path, "swap/folder"), "utf8"), "a file\n");
  const second = await run(...apply);
  assert.deepEqual([second.exitCode, second.json().error.code], [1, "already_applied"]);
});

test("a path that moved, one that is there already, and edits that git does not hold are conflicts: nothing changes", async () => {
  const path = await copyOf("moved");
  await writeFile(join(path, "src/a.txt"), "ONE\n");
  await writeFile(join(path, "bytes.bin"), "mine\n");
  // The content is what the changeset expects, but git holds another: an apply would take it away for good.
  await writeFile(join(path, "run.sh"), "#!/bin/bash\n");
  gitIn("moved", "commit", "-qm", "another", "run.sh");
  await writeFile(join(path, "run.sh"), "#!/bin/sh\n");
  const before = gitIn("moved", "status", "--porcelain");
  const refused = await applyTo("moved", "--json");
  assert.equal(refused.exitCode, 1);
  const { code, details } = refused.json().error;
  assert.equal(code, "target_moved");
  const listed = details.conflicts.map(({ path: at, reason }: { path: string; reason: string }) => [
    at,
    reason,
  ]);
  assert.deepEqual(listed, [
    ["bytes.bin", "moved"],
    ["src/a.txt", "moved"],
    ["run.sh", "uncommitted"],
  ]);
  assert.match(refused.stderr, /bytes\.bin +expected nothing +found [0-9a-f]{12} \(5 bytes\)/);
  assert.equal(gitIn("moved", "status", "--porcelain"), before);
  await assertAlone(path);
});

test("nothing is written through a symbolic link, be it above a path or in place of the folder of the journal", async () => {
  const path = await copyOf("linked");
  await mkdir(join(dir.path, "outside"));
  await rm(join(path, "src"), { recursive: true });
  await symlink(join(dir.path, "outside"), join(path, "src"));
  await cp(join(dir.path, "base/src"), join(dir.path, "outside"), { recursive: true });
  const above = await applyTo("linked", "--json");
  assert.equal(above.json().error.details.conflicts[0].found.kind, "below_symlink");
  await copyOf("journal");
  await symlink(join(dir.path, "outside"), join(dir.path, "journal/.planledger"));
  const journal = await applyTo("journal", "--json");
  assert.deepEqual([journal.exitCode, journal.json().error.code], [1, "symlink_refused"]);
  assert.deepEqual((await readdir(join(dir.path, "outside"))).sort(), ["a.txt", "b.txt"]);
  assert.equal(await readFile(join(dir.path, "outside/a.txt"), "utf8"), base["src/a.txt"]);
});

test("digest and gate count for a directory too: another digest, a rejected one, a part by its own digest", async () => {
  await copyOf("gates");
  const other = await run("plan", "apply", "reshape", "--digest", "0".repeat(64), "--to", "gates", "--json");
  assert.deepEqual([other.exitCode, other.json().error.code], [1, "digest_mismatch"]);
  const part = await run("plan", "apply", "reshape", "--digest", digest, "--only", "drop", "--json");
  assert.deepEqual([part.exitCode, part.json().added], [0, []]);
  const rejected = await run("plan", "reject", "reshape", "--digest", part.json().digest, "--json");
  assert.equal(rejected.exitCode, 0, rejected.stderr);
  const partly = () =>
    run("plan", "apply", "reshape", "--digest", part.json().digest, "--to", "gates", "--json");
  assert.equal((await partly()).json().error.code, "rejected");
  assert.equal(await treeOf("gates"), trees.before);
  const made = await run("token", "create", "--scopes", "plans:approve", "--principal", "reviewer");
  const review = commandRunner({ url: service.url, token: made.stdout.trim(), cwd: dir.path });
  const approved = await review("plan", "approve", "reshape", "--digest", part.json().digest);
  assert.equal(approved.exitCode, 0, approved.stderr);
  assert.deepEqual((await partly()).json().changed, ["gone/only.txt", "run.sh"]);
  const both = await run("plan", "apply", "reshape", "--digest", digest, "--only", "drop", "--to", "gates");
  assert.equal(both.exitCode, 2);
});

const hook = import.meta.resolve("./kill-at-disk-call.testkit.ts");

/** The real command in a process of its own, killed right before its nth change of the disk. */
function applyKilledAt(path: string, killAt: number, countFile?: string) {
  const args = ["plan", "apply", "reshape", "--digest", digest, "--to", path];
  return planledger(args, {
    cwd: dir.path,
    env: {
      PLANLEDGER_URL: service.url,
      PLANLEDGER_TOKEN: service.token,
      NODE_OPTIONS: `--import ${hook}`,
      KILL_ROOT: path,
      KILL_AT: `${killAt}`,
      ...(countFile === undefined ? {} : { KILL_COUNT: countFile }),
    },
  });
}

test("kill -9 at any point of an apply: the next command finishes or drops it, a repeat ends in the new tree", async () => {
  const counting = await copyOf("counting");
  const whole = await applyKilledAt(counting, 0, join(dir.path, "count"));
  assert.equal(whole.exitCode, 0, whole.stderr);
  const changes = Number(await readFile(join(dir.path, "count"), "utf8"));
  assert.ok(changes > 20, `the hook counted ${changes} changes of the disk`);
  const ended = new Set<string>();
  for (let kill = 0; kill < kills; kill += 1) {
    const at = 2 + Math.floor(((changes - 2) * (kill + 0.5)) / kills);
    const name = `killed-${at}`;
    const path = await copyOf(name);
    const killed = await applyKilledAt(path, at);
    assert.equal(killed.exitCode, null, `change ${at} of ${changes}: ${killed.stderr}`);
    await assertAlone(path);
    // Whatever command reads the directory next puts it in order; which trees there are then is known.
    if (kill % 2 === 0) await run("plan", "validate", "plan.yaml", "--project", name);
    else await applyTo(name);
    const tree = await treeOf(name);
    ended.add(tree);
    assert.ok(
      tree === trees.after || (kill % 2 === 0 && tree === trees.before),
      `killed before change ${at}`,
    );
    assert.ok(!(await readdir(join(path, ".planledger"))).includes("apply"));
    gitIn(name, "reset", "-q");
    const again = await applyTo(name, "--json");
    if (tree === trees.after) assert.equal(again.json().error.code, "already_applied");
    else assert.equal(again.exitCode, 0, again.stderr);
    assert.equal(await treeOf(name), trees.after);
    await assertAlone(path);
  }
  if (kills >= 5)
    assert.deepEqual(ended, new Set([trees.before, trees.after]), "both sides of the journal were met");
});

test("a directory in the place of what an apply stages is told as that, and nothing is changed", async () => {
  await copyOf("staged");
  await dir.put({ "staged/.planledger/apply/0/x": "mine\n" });
  const refused = await applyTo("staged", "--json");
  assert.deepEqual([refused.exitCode, refused.json().error.code], [1, "not_a_file"]);
  assert.match(refused.json().error.message, /\.planledger\/apply\/0 is a directory/);
  assert.equal(await treeOf("staged"), trees.before);
});

test("a directory is no way around the least strict profile that the plan's project demands by now", async () => {
  const client = planledgerClient({ url: service.url, token: service.token });
  const { tree, revision } = await client.projects.get("local/app");
  const settled = async (leastStrictProfile: string, expectedRevision: number) =>
    client.projects.put("local/app", { tree, settings: { leastStrictProfile }, expectedRevision });
  await copyOf("strict");
  const strict = await settled("review", revision);
  const refused = await applyTo("strict", "--json");
  await settled("manual", strict.revision);
  assert.deepEqual([refused.exitCode, refused.json().error.code], [1, "profile_too_lax"]);
  assert.equal(await treeOf("strict"), trees.before);
  assert.equal((await applyTo("strict")).exitCode, 0);
});

test("two commands do not apply to one directory at the same time", async () => {
  const path = await copyOf("held");
  await withDirectoryLock(path, async () => {
    const second = await applyTo("held", "--json");
    assert.deepEqual([second.exitCode, second.json().error.code], [1, "directory_in_use"]);
  });
  assert.equal((await applyTo("held")).exitCode, 0);
  assert.equal(spawnSync("git", ["-C", path, "status", "--porcelain", ".planledger"]).stdout.length, 0);
});
