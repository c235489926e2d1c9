import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { lstat, readdir, readFile, readlink } from "node:fs/promises";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { setImmediate as immediate } from "node:timers/promises";
import { type EmbeddedService, startEmbeddedService } from "#infra/local/start-embedded-service.ts";
import { gitEnvironment, type Scratch, scratch } from "./files/scratch.testkit.ts";
import { planledger } from "./planledger.testkit.ts";

const examples = join(import.meta.dirname, "..", "examples");
let service: EmbeddedService;
let dir: Scratch;

let gate = Promise.resolve();
/** Holds workers back until the answer is called. */
function holdWorkers(): () => void {
  const held = Promise.withResolvers<void>();
  gate = held.promise;
  return held.resolve;
}

before(async () => {
  service = await startEmbeddedService({
    port: 0,
    wrapHandler: (name, handler) =>
      name === "executeWorker"
        ? async (event, context) => {
            await gate;
            return handler(event, context);
          }
        : handler,
  });
  dir = await scratch();
});
after(async () => {
  await service?.stop();
  await dir?.[Symbol.asyncDispose]();
});

const run = (args: readonly string[], input?: string) =>
  planledger(args, {
    cwd: dir.path,
    env: { PLANLEDGER_URL: service.url, PLANLEDGER_TOKEN: service.token },
    ...(input === undefined ? {} : { input }),
  });
const execute = (folder: string, file: string, ...more: readonly string[]) =>
  run([
    "plan",
    "execute",
    join(examples, folder, file),
    "--project",
    join(examples, folder, "project"),
    ...more,
  ]);

test("a plan is executed and watched; status, events, tree, explain and diff tell it, and git takes the diff", async () => {
  const executed = await execute("rename-module", "plan.yaml", "--id", "rename", "--watch");
  assert.equal(executed.exitCode, 0, executed.stderr);
  assert.match(executed.stdout, /rename the config module {2}completed/);
  assert.match(executed.stdout, /6 of 6 landed/);
  assert.match(executed.stderr, /✓ fix-server/, "progress goes to stderr");

  const [status, decisions, events, tree, explain, diff, list] = await Promise.all([
    run(["plan", "status", "rename", "--json"]),
    run(["plan", "decisions", "rename", "--json"]),
    run(["plan", "events", "rename", "--follow", "--json"]),
    run(["plan", "tree", "rename"]),
    run(["plan", "explain", "rename", "fix-server", "--json"]),
    run(["plan", "diff", "rename"]),
    run(["plan", "list", "--json"]),
  ]);
  assert.equal(status.json().phase, "completed");
  assert.deepEqual(
    decisions.json().decisions.map(({ status: outcome }: { status: string }) => outcome),
    Array(6).fill("landed"),
  );
  const sequence = events.json().events.map(({ seq }: { seq: number }) => seq);
  assert.deepEqual(
    sequence,
    sequence.map((_: number, index: number) => index + 1),
  );
  assert.equal(events.json().events.at(-1).type, "runtime_execute_complete");
  assert.equal(
    tree.stdout.split("\n")[0] + (tree.stdout.split("\n")[1] ?? "").slice(0, 11),
    "request├─ ✓ rename",
  );
  assert.ok(!tree.stdout.includes("\u001b"), "no colour where stdout is no terminal");
  const explained = explain.json();
  assert.deepEqual(
    explained.why.map(({ decisionId }: { decisionId: string }) => decisionId),
    ["fix-server", "rename-exports", "rename", "request"],
  );
  assert.match(explained.diff.text, /\+import \{ readConfig \}/);
  assert.equal(explained.decision.calls[0].tool, "edit_file");
  assert.ok(list.json().plans.some(({ planId }: { planId: string }) => planId === "rename"));

  await using copy = await scratch();
  execFileSync("cp", ["-r", `${join(examples, "rename-module", "project")}/.`, copy.path]);
  copy.git("init", "-q");
  copy.git("add", ".");
  execFileSync("git", ["-C", copy.path, "apply", "--index", "-"], {
    input: diff.bytes,
    env: gitEnvironment(),
  });
  assert.match(await readFile(join(copy.path, "src/server.ts"), "utf8"), /readConfig/);
  assert.ok(!(await readdir(join(copy.path, "src"))).includes("conf.ts"));
});

test("the same plan under the same id is accepted again; another document is refused (F13)", async () => {
  const plan = '{ "decisions": [] }';
  const first = await run(["plan", "execute", "-", "--id", "twice", "--json"], plan);
  const second = await run(["plan", "execute", "-", "--id", "twice", "--json"], plan);
  assert.deepEqual([first.exitCode, second.exitCode], [0, 0]);
  assert.equal(second.json().serverPlanId, first.json().serverPlanId);
  const other = await run(
    ["plan", "execute", "-", "--id", "twice", "--json"],
    '{ "decisions": [{ "id": "d" }] }',
  );
  assert.deepEqual([other.exitCode, other.json().error.code], [1, "plan_exists"]);
});

test("a plan that works on files and names none is told that it begins with none", async () => {
  const call = '{ "tool": "list_directory", "input": { "path": "" } }';
  const plan = `{ "decisions": [{ "id": "d", "toolCalls": [${call}] }] }`;
  const executed = await run(["plan", "execute", "-", "--json"], plan);
  assert.deepEqual([executed.exitCode, executed.json().status], [0, "submitted"]);
  assert.match(executed.stderr, /empty tree; --project DIR/);
  assert.equal((await run(["plan", "execute", "-"], '{ "decisions": [] }')).stderr, "");
  await dir.put({ "few/a.txt": "a" });
  const based = await run(["plan", "execute", "-", "--project", "few"], plan);
  assert.doesNotMatch(based.stderr, /empty tree/);
});

test("no changes is a success of its own kind (F11)", async () => {
  const watched = await run(["plan", "execute", "-", "--watch"], '{ "decisions": [{ "id": "look" }] }');
  assert.equal(watched.exitCode, 0, watched.stderr);
  assert.match(watched.stdout, /no changes/i);
});

test("a failed run is told whole, and resumed with corrected calls (F25)", async () => {
  const executed = await execute("repair-a-failure", "plan.yaml", "--id", "repair", "--watch");
  assert.equal(executed.exitCode, 1);
  assert.match(executed.stdout, /1 of 3 landed, 1 failed, 1 skipped/);
  assert.match(executed.stdout, /✗ {2}raise-limit .*edit_no_match/);
  assert.match(executed.stdout, /- {2}announce .*raise-limit did not land/);
  assert.match(executed.stdout, /✓ {2}tidy-changelog/);
  const told = await run(["plan", "status", "repair"]);
  assert.equal(told.exitCode, 0, "telling it is no failure");

  const calls = join(examples, "repair-a-failure", "corrected-calls.yaml");
  await dir.put({ "calls.yaml": "raise-limit:\n  - tol: edit_file\n", "toolCalls.yaml": "toolCalls: 3\n" });
  const mistyped = await run(["plan", "resume", "repair", "--tool-calls", "calls.yaml"]);
  assert.equal(mistyped.exitCode, 1);
  assert.match(mistyped.stderr, /calls\.yaml:2:5: \/raise-limit\/0\/tool is required/);
  const wrapped = await run(["plan", "resume", "repair", "--tool-calls", "toolCalls.yaml"]);
  assert.match(wrapped.stderr, /toolCalls\.yaml:1:1: \/toolCalls must be an object/);
  const resumed = await run(["plan", "resume", "repair", "--tool-calls", calls, "--watch", "--json"]);
  assert.equal(resumed.exitCode, 0, resumed.stderr);
  assert.deepEqual([resumed.json().phase, resumed.json().run], ["completed", 2]);
  const first = await run(["plan", "status", "repair", "--run", "1", "--json"]);
  assert.equal(first.json().phase, "failed", "the first run's end stays");
  const diff = await run(["plan", "diff", "repair", "--json"]);
  assert.match(diff.json().diff, /\+ {2}requestsPerMinute: 600,/);
});

test("artifacts are written with bytes, modes and links, and refuse a directory that holds something", async () => {
  const executed = await execute("binary-and-links", "plan.json", "--id", "bytes", "--watch");
  assert.equal(executed.exitCode, 0, executed.stderr);
  const made = await run([
    "plan",
    "artifacts",
    "bytes",
    "--out",
    "made",
    "--ledger",
    "ledger.jsonl",
    "--json",
  ]);
  assert.equal(made.exitCode, 0, made.stderr);
  const out = join(dir.path, "made");
  assert.deepEqual((await readdir(out)).sort(), ["assets", "release", "scripts"]);
  assert.equal(await readlink(join(out, "release")), "scripts/release");
  assert.notEqual((await lstat(join(out, "scripts/release"))).mode & 0o100, 0);
  const png = await readFile(join(out, "assets/icon.png"));
  assert.deepEqual([...png.subarray(0, 4)], [0x89, 0x50, 0x4e, 0x47]);
  const ledger = await readFile(join(dir.path, "ledger.jsonl"), "utf8");
  assert.equal(ledger.match(/"kind":"record"/g)?.length, made.json().records);
  assert.ok(made.json().records >= 5);

  const again = await run(["plan", "artifacts", "bytes", "--out", "made"]);
  assert.equal(again.exitCode, 2);
  assert.match(again.stderr, /not empty; use --force/);
  assert.equal((await run(["plan", "artifacts", "bytes", "--out", "made", "--force"])).exitCode, 0);
});

test("a project comes in from git and goes out to a directory and to a branch, tree id kept", async () => {
  await using repository = await scratch();
  repository.git("init", "-q", "-b", "main");
  await repository.put({
    "a b/ü.txt": "x\r\n",
    bin: Uint8Array.of(0, 255),
    empty: "",
    ".gitignore": "out\n",
    out: "no",
  });
  await repository.executable("bin");
  await repository.link("link", "a b");
  repository.git("-c", "core.autocrlf=false", "add", ".");
  const tree = repository.git("write-tree").trim();
  const id = ["--id", "local/there-and-back"];

  const imported = await run(["project", "import", repository.path, ...id, "--json"]);
  assert.equal(imported.exitCode, 0, imported.stderr);
  assert.equal(imported.json().gitTreeId, tree);
  const again = await run(["project", "import", repository.path, ...id, "--json"]);
  assert.deepEqual([again.json().unchanged, again.json().revision], [true, imported.json().revision]);

  const exported = await run(["project", "export", "local/there-and-back", "--to", "exported", "--json"]);
  assert.equal(exported.exitCode, 0, exported.stderr);
  const out = join(dir.path, "exported");
  execFileSync("git", ["-C", out, "init", "-q"]);
  execFileSync("git", ["-C", out, "add", "."], { env: gitEnvironment() });
  assert.equal(execFileSync("git", ["-C", out, "write-tree"], { encoding: "utf8" }).trim(), tree);
  assert.equal((await run(["project", "export", "local/there-and-back", "--to", "exported"])).exitCode, 2);

  const branch = await planledger(
    ["project", "export", "local/there-and-back", "--branch", "from-service", "--json"],
    {
      cwd: repository.path,
      env: { PLANLEDGER_URL: service.url, PLANLEDGER_TOKEN: service.token },
    },
  );
  assert.equal(branch.exitCode, 0, branch.stderr);
  assert.equal(repository.git("rev-parse", "from-service^{tree}").trim(), tree);
});

test("a ledger verifies at the service, and exported without one; a changed or shortened one is refused where it breaks", async () => {
  const executed = await execute("repair-a-failure", "plan.yaml", "--id", "audited", "--watch");
  assert.equal(executed.exitCode, 1, "one of its decisions fails");
  const online = await run(["verify", "audited", "--json"]);
  assert.equal(online.exitCode, 0, online.stderr);
  const { head, records, keyFromService } = online.json();
  assert.deepEqual([head.phase, head.seq, keyFromService], ["failed", records, true]);
  const told = await run(["verify", "audited", "--key", service.publicKeyFile, "--head", head.ledgerHead]);
  assert.equal(told.exitCode, 0, told.stderr);
  assert.match(told.stdout, /✓ verifies {2}audited: \d+ records, run 1 failed\nhead {4}[0-9a-f]{64}\n/);

  assert.equal((await run(["plan", "artifacts", "audited", "--ledger", "audited.jsonl"])).exitCode, 0);
  const text = await readFile(join(dir.path, "audited.jsonl"), "utf8");
  const tampered = text.replace('"status":"failed"', '"status":"landed"');
  assert.notEqual(tampered, text);
  await dir.put({ "tampered.jsonl": tampered, "short.jsonl": text.slice(0, -200) });
  const offline = (file: string, ...more: readonly string[]) =>
    planledger(["verify", "--file", file, "--key", service.publicKeyFile, ...more], {
      cwd: dir.path,
      env: {},
    });
  const whole = await offline("audited.jsonl", "--json");
  assert.equal(whole.exitCode, 0, whole.stderr);
  assert.equal(whole.json().head.ledgerHead, head.ledgerHead);
  const changed = await offline("tampered.jsonl", "--json");
  assert.deepEqual([changed.exitCode, changed.json().ok, changed.json().code], [1, false, "altered"]);
  const line = text.slice(0, text.indexOf('"status":"failed"')).split("\n").length;
  assert.equal(changed.json().position.line, line);
  const short = await offline("short.jsonl");
  assert.equal(short.exitCode, 1);
  assert.match(short.stdout, /✗ does not verify {2}cut_off at record \d+, line \d+\n/);
  const other = await offline("audited.jsonl", "--head", "0".repeat(64), "--json");
  assert.deepEqual([other.exitCode, other.json().code], [1, "wrong_head"]);

  const calls = join(examples, "repair-a-failure", "corrected-calls.yaml");
  assert.equal((await run(["plan", "resume", "audited", "--tool-calls", calls, "--watch"])).exitCode, 0);
  const resumed = await run(["verify", "audited", "--json"]);
  assert.deepEqual([resumed.exitCode, resumed.json().head.phase], [0, "completed"], resumed.stdout);
  assert.equal((await offline("audited.jsonl")).exitCode, 0, "the older export is still signed");
  const older = await offline("audited.jsonl", "--head", resumed.json().head.ledgerHead);
  assert.equal(older.exitCode, 1, "and is not the head that is expected now");
});

test("a token does what its scopes say until it is revoked, and is listed without its secret", async () => {
  const created = await run([
    "token",
    "create",
    "--scopes",
    "plans:read,tokens:write",
    "--expires-in",
    "600",
    "--json",
  ]);
  assert.equal(created.exitCode, 0, created.stderr);
  const { id, token, scopes } = created.json();
  assert.deepEqual(scopes, ["plans:read", "tokens:write"]);
  const as = (args: readonly string[], input?: string) =>
    planledger(args, {
      cwd: dir.path,
      env: { PLANLEDGER_URL: service.url, PLANLEDGER_TOKEN: token },
      ...(input === undefined ? {} : { input }),
    });
  assert.equal((await as(["plan", "list"])).exitCode, 0);
  const refused = await as(["plan", "execute", "-", "--json"], '{ "decisions": [] }');
  assert.deepEqual([refused.exitCode, refused.json().error.code], [1, "forbidden"]);
  const plain = await run(["token", "create", "--scopes", "plans:read"]);
  assert.match(plain.stdout, /^plt_\S+\n$/, "stdout is the token alone, for $(…)");

  assert.equal((await run(["token", "revoke", id, "--json"])).json().revoked, true);
  const listed = await run(["token", "list", "--json"]);
  const mine = listed.json().tokens.find((one: { id: string }) => one.id === id);
  assert.ok(mine.revokedAt);
  assert.ok(!listed.stdout.includes(token), "the secret is not listed");

  const named = await run(["token", "create", "--scopes", "plans:read", "--principal", "Bob X"]);
  assert.match(named.stderr, /\/principal must be 1 to 128 letters/);
  const brief = (
    await run(["token", "create", "--scopes", "plans:read", "--expires-in", "1", "--json"])
  ).json();
  while (Date.now() < Date.parse(brief.expiresAt)) await immediate();
  const table = (await run(["token", "list"])).stdout.split("\n");
  assert.match(table.find((line) => line.startsWith(brief.id)) ?? "", / expired /);
  assert.match(table.find((line) => line.startsWith(id)) ?? "", / revoked /);
});

test("pause holds a plan, resume releases it, cancel ends it with what it has (F23)", async () => {
  const write =
    '{ "decisions": [{ "id": "d", "toolCalls": [{ "tool": "write_file", "input": { "path": "f", "content": "x" } }] }] }';
  const open = holdWorkers();
  try {
    await run(["plan", "execute", "-", "--id", "held"], write);
    await run(["plan", "execute", "-", "--id", "ended"], write);
    const paused = await run(["plan", "pause", "held", "--reason", "lunch", "--json"]);
    assert.deepEqual([paused.exitCode, paused.json().status], [0, "paused"], paused.stderr);
    const cancelled = await run(["plan", "cancel", "ended", "--json"]);
    assert.deepEqual([cancelled.exitCode, cancelled.json().status], [0, "cancelled"], cancelled.stderr);
  } finally {
    open();
  }
  assert.equal((await run(["plan", "status", "held", "--json"])).json().phase, "paused");
  const resumed = await run(["plan", "resume", "held", "--watch", "--json"]);
  assert.deepEqual([resumed.exitCode, resumed.json().phase], [0, "completed"], resumed.stderr);
  assert.match(resumed.stderr, /paused by owner {2}lunch/);
  const ended = await run(["plan", "status", "ended", "--json"]);
  assert.equal(ended.json().phase, "cancelled");
  assert.match(ended.json().digest, /^[0-9a-f]{64}$/, "sealed, and readable");
});

test("what nobody has is said to be unknown, by the right exit code", async () => {
  const unknown = await run(["plan", "status", "nobody-has-this", "--json"]);
  assert.deepEqual([unknown.exitCode, unknown.json().error.code], [1, "not_found"]);
  const decision = await run(["plan", "explain", "rename", "no-such-decision"]);
  assert.equal(decision.exitCode, 2);
  assert.match(decision.stderr, /has no decision "no-such-decision"/);
  const badId = await run(["plan", "status", "../x"]);
  assert.equal(badId.exitCode, 2);
});
