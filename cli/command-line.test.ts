import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { once } from "node:events";
import { closeSync, existsSync, openSync } from "node:fs";
import { createServer } from "node:http";
import { join } from "node:path";
import { test } from "node:test";
import { scratch } from "./files/scratch.testkit.ts";
import { planledger } from "./planledger.testkit.ts";

const examples = join(import.meta.dirname, "..", "examples");

test("wrong usage is exit code 2, with the reason on stderr and nothing on stdout", async () => {
  await using dir = await scratch();
  await dir.put({ "plan.yaml": "decisions: []\n" });
  const cases: readonly [readonly string[], RegExp][] = [
    [["frobnicate"], /unknown command 'frobnicate'/],
    [["plan", "status"], /missing required argument 'id'/],
    [["plan", "status", "x", "--frob"], /unknown option '--frob'/],
    [["plan", "status", "x", "--run", "zero"], /must be a whole number/],
    [["plan", "status", "../x"], /no service to talk to/],
    [["plan", "execute", "absent.yaml"], /there is no file absent\.yaml/],
    [["plan", "validate", "plan.yaml", "--project", "absent"], /error: absent is not a directory/],
    [["plan", "artifacts", "x"], /--out DIR, --ledger FILE/],
    [["verify"], /a plan's id, or --file FILE/],
    [["verify", "--file", "ledger.jsonl"], /--file needs --key FILE/],
    [["verify", "x", "--file", "ledger.jsonl", "--key", "plan.yaml"], /not both/],
    [["verify", "--file", "absent.jsonl", "--key", "plan.yaml"], /--key: .*no public key in PEM/],
    [["verify", "--file", "plan.yaml", "--key", "absent.pem"], /there is no file absent\.pem/],
    [["project", "export", "local/app"], /--to DIR or --branch NAME/],
    [["token", "create", "--scopes", "everything"], /Unknown: "everything"\. Allowed: plans:read/],
    [["dev", "--port", "99999"], /whole number from 0 to 65535/],
    [["plan", "list"], /start one with `planledger dev`/],
  ];
  await Promise.all(
    cases.map(async ([args, reason]) => {
      const ran = await planledger(args, { cwd: dir.path });
      assert.equal(ran.exitCode, 2, `${args.join(" ")}: ${ran.stderr}`);
      assert.match(ran.stderr, reason);
      assert.equal(ran.stdout, "");
    }),
  );
});

test("a damaged file of dev and a repository that git cannot read are told in a line, not with a stack", async () => {
  await using dir = await scratch();
  await dir.put({ ".planledger/dev.json": "{", "plan.yaml": "decisions: []\n" });
  dir.git("init", "-q");
  await dir.put({ ".git/index": "no index" });
  const damaged = await planledger(["plan", "list"], { cwd: dir.path });
  assert.equal(damaged.exitCode, 2);
  assert.match(damaged.stderr, /^error: \S*dev\.json is damaged; delete it [^\n]*\n$/);
  const unread = await planledger(["plan", "validate", "plan.yaml", "--project", "."], { cwd: dir.path });
  assert.equal(unread.exitCode, 2);
  assert.match(unread.stderr, /^error: git ls-files failed in /);
  assert.doesNotMatch(unread.stderr, /\n {4}at /);
});

test("with --json a failure too is one document on stdout", async () => {
  await using dir = await scratch();
  await dir.put({ "bad.yaml": "decisions: [{ id: a, dependsOn: [b] }, { id: b, dependsOn: [a] }]\n" });
  const usage = await planledger(["plan", "frob", "--json"], { cwd: dir.path });
  assert.equal(usage.exitCode, 2);
  assert.deepEqual(usage.json().error, { code: "usage", message: "unknown command 'frob'" });
  const unreachable = await planledger(["plan", "list", "--json"], { cwd: dir.path });
  assert.deepEqual([unreachable.exitCode, unreachable.json().error.code], [2, "usage"]);
  const cycle = await planledger(["plan", "validate", "bad.yaml", "--json"], { cwd: dir.path });
  assert.deepEqual([cycle.exitCode, cycle.json().error.code], [1, "dependency_cycle"]);
  assert.match(cycle.stderr, /bad\.yaml:1:/, "and the reason stands on stderr, with its place");
});

test("in a checkout an older Node goes on with the one that is installed there, exit code kept", async () => {
  await using dir = await scratch();
  // What process.versions says stands in for an older Node, which this machine need not have.
  await dir.put({
    "older.mjs":
      'Object.defineProperty(process.versions, "node", { value: "20.1.0" });\nprocess.argv.splice(1, 1);\nawait import(process.argv[1]);\n',
  });
  const launcher = join(examples, "..", "bin", "planledger.js");
  const start = (...args: readonly string[]) =>
    spawnSync(process.execPath, [join(dir.path, "older.mjs"), launcher, ...args], {
      encoding: "utf8",
      cwd: dir.path,
    });
  const help = start("--help");
  assert.deepEqual([help.status, help.stderr], [0, ""]);
  assert.match(help.stdout, /Usage: planledger/);
  assert.equal(start("frobnicate").status, 2);
});

test("help is no error, for every command, and every command has --json", async () => {
  const plain = ["dev", "verify"];
  const groups = {
    plan: "validate execute status decisions events tree explain diff artifacts list pause resume cancel",
    project: "import export",
    token: "create list revoke",
  };
  const commands = [
    ...plain.map((name) => [name]),
    ...Object.entries(groups).flatMap(([group, names]) => names.split(" ").map((name) => [group, name])),
  ];
  await using dir = await scratch();
  for (const some of [commands.slice(0, 10), commands.slice(10)]) {
    await Promise.all(
      some.map(async (command) => {
        const { exitCode, stdout, stderr } = await planledger([...command, "--help"], { cwd: dir.path });
        assert.deepEqual([exitCode, stderr], [0, ""], command.join(" "));
        assert.match(stdout, new RegExp(`Usage: planledger ${command.join(" ")}`));
        assert.match(stdout, /--json/, command.join(" "));
      }),
    );
  }
});

test("the examples do what their README says, without a service", async () => {
  const run = (folder: string, file: string) =>
    planledger(
      [
        "plan",
        "validate",
        join(examples, folder, file),
        "--project",
        join(examples, folder, "project"),
        "--json",
      ],
      { cwd: examples },
    );
  const [rename, repair, binary] = await Promise.all([
    run("rename-module", "plan.yaml"),
    run("repair-a-failure", "plan.yaml"),
    run("binary-and-links", "plan.json"),
  ]);
  assert.equal(rename.exitCode, 0, rename.stderr);
  assert.equal(rename.json().counts.landed, 6);
  assert.equal(binary.exitCode, 0, binary.stderr);
  assert.deepEqual(
    binary
      .json()
      .diffStat.map(({ path, mode, binary: bytes }: Record<string, unknown>) => [path, mode, bytes]),
    [
      ["assets/icon.png", undefined, true],
      ["release", "120000", false],
      ["scripts/release", "100755", false],
    ],
  );
  assert.equal(repair.exitCode, 1);
  assert.deepEqual(
    repair.json().decisions.map(({ decisionId, status }: Record<string, unknown>) => [decisionId, status]),
    [
      ["raise-limit", "failed"],
      ["announce", "skipped"],
      ["tidy-changelog", "landed"],
    ],
  );
});

test("validate reads stdin, only reads the directory, and says what would happen", async () => {
  await using dir = await scratch();
  await dir.put({ "app/a.txt": "one\ntwo\n" });
  const plan = {
    decisions: [
      {
        id: "edit",
        toolCalls: [{ tool: "write_file", input: { path: "a.txt", content: "one\n2\nthree\n" } }],
      },
    ],
  };
  const input = JSON.stringify(plan);
  const ran = await planledger(["plan", "validate", "-", "--project", "app"], { cwd: dir.path, input });
  assert.equal(ran.exitCode, 0, ran.stderr);
  assert.match(ran.stdout, /✓ {2}edit {2}1 call, 1 change/);
  assert.match(ran.stdout, /a\.txt {2}\+2 -1/);
  const again = await planledger(["plan", "validate", "-", "--project", "app"], { cwd: dir.path, input });
  assert.equal(again.stdout, ran.stdout, "the directory is as it was");
});

test("validate names an unknown tool and a wrong input by place, and 'no changes' is a success (F11)", async () => {
  await using dir = await scratch();
  const validate = (plan: object, ...more: readonly string[]) =>
    planledger(["plan", "validate", "-", "--json", ...more], { cwd: dir.path, input: JSON.stringify(plan) });
  const call = (tool: string, input: object) => ({ decisions: [{ id: "d", toolCalls: [{ tool, input }] }] });
  const unknown = (await validate(call("fly", {}))).json().error;
  assert.deepEqual([unknown.code, unknown.details.field], ["unknown_tool", "/decisions/0/toolCalls/0/tool"]);
  const wrong = (await validate(call("delete_file", { path: 1 }))).json().error;
  assert.deepEqual(
    [wrong.code, wrong.details.field],
    ["input_invalid", "/decisions/0/toolCalls/0/input/path"],
  );
  const nothing = await validate(call("list_directory", { path: "" }), "--project", ".");
  assert.equal(nothing.exitCode, 0, nothing.stdout);
  assert.equal(nothing.json().noChanges, true);
});

test("validate places every issue in the file, those of tools too", async () => {
  await using dir = await scratch();
  await dir.put({
    "plan.yaml":
      "decisions:\n  - id: a\n    toolCalls:\n      - { tool: fly, input: {} }\n      - tool: delete_file\n        input: { path: 3 }\n",
    "typo.yaml": "nmae: x\ndecisions:\n  - id: a\n    tools: []\n",
  });
  const tools = await planledger(["plan", "validate", "plan.yaml"], { cwd: dir.path });
  assert.equal(tools.exitCode, 1);
  assert.match(tools.stderr, /plan\.yaml:4:11: \/decisions\/0\/toolCalls\/0\/tool is 'fly'/);
  assert.match(tools.stderr, /\n {2}6:18: \/decisions\/0\/toolCalls\/1\/input\/path /);
  const typo = await planledger(["plan", "validate", "typo.yaml"], { cwd: dir.path });
  assert.match(typo.stderr, /typo\.yaml:1:1: \/nmae .*\n {2}4:5: \/decisions\/0\/tools /);
});

test("validate knows the tools of the checkout, by the rules of the service, and a dry run calls none of them", async () => {
  await using dir = await scratch();
  const call = (tool: string, input: object) =>
    `      - { tool: ${tool}, input: ${JSON.stringify(input)} }\n`;
  const plan = (...calls: readonly string[]) => `decisions:\n  - id: a\n    toolCalls:\n${calls.join("")}`;
  const tool = (id: string) =>
    `name: ${id.split("/")[1]}\ndescription: Looks up.\ninputSchema: { type: object, properties: { word: { type: string } }, required: [word] }\nrun: { kind: http, url: "https://dictionary.example/lookup" }\n_meta: { id: ${id}, version: "1" }\n`;
  await dir.put({
    "tools/lookup.yaml": tool("local/lookup"),
    "tools/other.yaml": tool("team/other"),
    "tools/twice.yaml": tool("one/twice"),
    "tools/twice-too.yaml": tool("two/twice"),
    "tools/broken.yaml": "name: [\n",
    "good.yaml": plan(
      call("write_file", { path: "a.txt", content: "a" }),
      call("lookup", { word: "w" }),
      call("other", { word: "w" }),
      call("team/other", { word: "w" }),
    ),
    "wrong.yaml": plan(call("lookup", { word: 5 })),
    "twice.yaml": plan(call("twice", { word: "w" })),
    "unknown.yaml": plan(call("fly", {})),
    "project/b.txt": "b\n",
  });
  const validate = (...args: readonly string[]) =>
    planledger(["plan", "validate", ...args], { cwd: dir.path });
  const good = await validate("good.yaml");
  assert.equal(good.exitCode, 0, good.stderr);
  assert.match(good.stderr, /left out tools\/broken\.yaml:2: /);
  const dry = await validate("good.yaml", "--project", "project");
  assert.equal(dry.exitCode, 0, dry.stderr);
  assert.match(dry.stdout, /4 calls \(3 external, not made\), 1 change/);
  const wrong = await validate("wrong.yaml");
  assert.match(wrong.stderr, /wrong\.yaml:4:\d+: \/decisions\/0\/toolCalls\/0\/input\/word /);
  assert.match((await validate("twice.yaml")).stderr, /twice\.yaml:4:\d+: .*one\/twice, two\/twice/);
  assert.match((await validate("unknown.yaml")).stderr, /unknown\.yaml:4:\d+: .*is 'fly'/);
  const elsewhere = await validate("good.yaml", "--dir", "project");
  assert.match(elsewhere.stderr, /is 'lookup'/);
});

test("a full disk behind stdout is an error in a line, and exit code 1", {
  skip: !existsSync("/dev/full"),
}, () => {
  const launcher = join(examples, "..", "bin", "planledger.js");
  const full = openSync("/dev/full", "w");
  try {
    const ran = spawnSync(process.execPath, [launcher, "--version"], {
      stdio: ["ignore", full, "pipe"],
      encoding: "utf8",
    });
    assert.equal(ran.status, 1);
    assert.match(ran.stderr, /^error: cannot write to stdout: ENOSPC[^\n]*\n$/);
  } finally {
    closeSync(full);
  }
});

test("a command that is interrupted says so in a line, and with --json in one document", async () => {
  await using dir = await scratch();
  const follow = async (...more: readonly string[]) => {
    const asked = Promise.withResolvers<void>();
    await using silent = createServer(() => asked.resolve());
    silent.listen(0, "127.0.0.1");
    await once(silent, "listening");
    const address = silent.address();
    assert.ok(typeof address === "object" && address !== null);
    return await planledger(["plan", "events", "p", "--follow", ...more], {
      cwd: dir.path,
      env: { PLANLEDGER_URL: `http://127.0.0.1:${address.port}`, PLANLEDGER_TOKEN: "plt_a_b" },
      interruptAfter: asked.promise,
    });
  };
  const plain = await follow();
  assert.deepEqual([plain.exitCode, plain.stdout, plain.stderr], [1, "", "error: stopped by SIGINT\n"]);
  const json = await follow("--json");
  assert.deepEqual(
    [json.exitCode, json.json()],
    [1, { error: { code: "aborted", message: "stopped by SIGINT" } }],
  );
});
