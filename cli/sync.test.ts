import assert from "node:assert/strict";
import { cp, mkdir, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { type EmbeddedService, startEmbeddedService } from "#infra/local/start-embedded-service.ts";
import { planledgerClient } from "#lib/client/planledger-client.ts";
import { type Scratch, scratch } from "./files/scratch.testkit.ts";
import { planledger } from "./planledger.testkit.ts";
import { commandRunner } from "./run-in-process.testkit.ts";

let service: EmbeddedService;
const scratches: Scratch[] = [];

before(async () => {
  service = await startEmbeddedService({ port: 0 });
});
after(async () => {
  await service?.stop();
  for (const one of scratches) await one[Symbol.asyncDispose]();
});

/** A working copy of its own, and the command in it. Copies of one test share the service's items of their namespace. */
async function workingCopy(files: Readonly<Record<string, string>> = {}, of = service) {
  const directory = await scratch();
  scratches.push(directory);
  await directory.put(files);
  const run = commandRunner({ url: of.url, token: of.token, cwd: directory.path });
  return {
    path: directory.path,
    put: directory.put,
    read: (path: string) => readFile(join(directory.path, path), "utf8"),
    sync: (...args: readonly string[]) => run("sync", ...args),
    async summary(...args: readonly string[]) {
      const ran = await run("sync", ...args, "--json");
      return { exitCode: ran.exitCode, ...ran.json() };
    },
  };
}

const action = (id: string, version = "1.0", reads = "a.txt") => `# An action of ours.
id: ${id}
version: "${version}" # as authors count
arguments: {}
plan:
  decisions:
    - { id: look, toolCalls: [{ tool: read_text_file, input: { path: ${reads} } }] }
`;
const tool = (id: string) => `name: lookup
description: Looks a word up.
inputSchema: { type: object, properties: { word: { type: string } } }
run: { kind: http, url: "https://dictionary.example/lookup" } # not called here
_meta:
  # Who we are.
  id: ${id}
  version: "1.0"
`;
const skill = `---
name: review
description: How we review.
---

# Review

Read it twice.
`;

test("S3, S5, S6: files are pushed, get their server ids and keep all else; again, and nothing is written", async () => {
  const copy = await workingCopy({
    "actions/rename.yaml": action("s3/rename"),
    "tools/lookup.yaml": tool("s3/lookup"),
    "skills/check/SKILL.md": skill,
  });
  const before = await Promise.all(
    ["actions/rename.yaml", "tools/lookup.yaml", "skills/check/SKILL.md"].map(copy.read),
  );

  const dry = await copy.summary("--dry-run");
  assert.deepEqual([dry.exitCode, dry.created, dry.dryRun, dry.writes], [0, 3, true, 0]);
  assert.deepEqual((await readdir(copy.path)).sort(), ["actions", "skills", "tools"]);
  assert.deepEqual(
    await Promise.all(["actions/rename.yaml", "tools/lookup.yaml", "skills/check/SKILL.md"].map(copy.read)),
    before,
  );

  const pushed = await copy.summary();
  assert.deepEqual([pushed.exitCode, pushed.created, pushed.errors], [0, 3, []]);
  const [actionText, toolText, skillText] = await Promise.all(
    ["actions/rename.yaml", "tools/lookup.yaml", "skills/check/SKILL.md"].map(copy.read),
  );
  const withoutId = (text = "") =>
    text.replace(/^metadata:\n( {2}server_id: .*\n)/m, "").replace(/^ {2}server_id: .*\n/m, "");
  assert.deepEqual([actionText, toolText, skillText].map(withoutId), before);
  for (const text of [actionText, toolText, skillText]) assert.match(text ?? "", /^ {2}server_id: \S+$/m);

  const again = await copy.summary();
  assert.deepEqual([again.exitCode, again.skipped, again.writes, again.requests], [0, 3, 0, 1]);
});

test("an edit on either side goes to the other, and both at once are a conflict that the policy resolves", async () => {
  const here = await workingCopy({ "actions/a.yaml": action("both/a") });
  const there = await workingCopy();
  await here.summary("--scope", "actions");
  const pulled = await there.summary("pull", "--scope", "actions");
  assert.equal(pulled.exitCode, 0, JSON.stringify(pulled.errors));
  const pulledPath = "actions/both.a.yaml";
  assert.match(await there.read(pulledPath), /^id: both\/a$/m);

  await there.put({ [pulledPath]: (await there.read(pulledPath)).replace("a.txt", "theirs.txt") });
  assert.equal((await there.summary("push", "--scope", "actions")).updated, 1);
  const taken = await here.summary("both", "--scope", "actions");
  assert.ok(taken.pulled >= 1);
  const now = await here.read("actions/a.yaml");
  assert.match(now, /^# An action of ours\.\nid: both\/a\nversion: "1\.0" # as authors count$/m);
  assert.match(now, /theirs\.txt/);

  await here.put({ "actions/a.yaml": now.replace("theirs.txt", "ours.txt") });
  await there.put({ [pulledPath]: (await there.read(pulledPath)).replace("theirs.txt", "others.txt") });
  assert.equal((await there.summary("--scope", "actions")).updated, 1);
  const conflict = await here.sync("--scope", "actions");
  assert.equal(conflict.exitCode, 1);
  assert.match(conflict.stdout, /conflict {2}actions both\/a/);
  assert.match(await here.read("actions/a.yaml"), /ours\.txt/);

  const resolved = await here.summary("both", "--scope", "actions", "--policy", "server_wins");
  assert.deepEqual([resolved.exitCode, resolved.conflicts], [0, []]);
  assert.match(await here.read("actions/a.yaml"), /others\.txt/);
  const kept = await readdir(join(here.path, ".planledger", "conflicts"), { recursive: true });
  const copyPath = kept.find((path) => path.endsWith("a.yaml")) ?? "";
  assert.match(await here.read(join(".planledger", "conflicts", copyPath)), /ours\.txt/);
});

test("deletions reach the other side with --prune only, and --max-delete stops them", async () => {
  const here = await workingCopy({
    "actions/a.yaml": action("prune/a"),
    "actions/b.yaml": action("prune/b"),
  });
  await here.summary("--scope", "actions");
  const there = await workingCopy();
  await there.summary("pull", "--scope", "actions");
  await rm(join(here.path, "actions/a.yaml"));
  assert.equal((await here.summary("--scope", "actions")).deleted, 0);
  const stopped = await here.summary("--scope", "actions", "--prune", "--max-delete", "0");
  assert.deepEqual([stopped.exitCode, stopped.error.code], [1, "too_many_deletions"]);
  assert.equal((await here.summary("--scope", "actions", "--prune")).deleted, 1);
  assert.equal((await there.summary("pull", "--scope", "actions")).deleted, 0);
  assert.equal((await there.summary("pull", "--scope", "actions", "--prune")).deleted, 1);
  assert.ok(!(await readdir(join(there.path, "actions"))).includes("prune.a.yaml"));
});

test("F5, S7: a broken file is one error that names file and line, and the others are synced", async () => {
  const copy = await workingCopy({
    "actions/broken.yaml": 'id: faults/broken\nversion: "1.0"\nplan: {\n',
    "actions/nameless.yaml": 'version: "1.0"\nplan: { decisions: [] }\n',
    "actions/good.yaml": action("faults/good"),
    "skills/no-front-matter/SKILL.md": "# Just text\n",
  });
  const summary = await copy.summary("--scope", "actions,skills");
  assert.deepEqual([summary.exitCode, summary.created], [1, 1]);
  const reasons = summary.errors.map(({ reason }: { reason: string }) => reason);
  assert.match(reasons[0], /^actions\/broken\.yaml:\d+: /);
  assert.match(reasons[1], /^actions\/nameless\.yaml:1: id is missing/);
  assert.match(reasons[2], /^skills\/no-front-matter\/SKILL\.md:1: /);
});

test("S18: wrong usage says what is allowed and ends with exit code 2", async () => {
  const copy = await workingCopy();
  const wrong: readonly (readonly [readonly string[], RegExp])[] = [
    [["--policy", "theirs"], /local_wins, server_wins, manual/],
    [["--scope", "actions,plans"], /actions, skills, tools, projects/],
    [["sideways"], /push, pull, both/],
    [["--max-delete", "-1"], /whole number/],
    [["--dir", "nowhere"], /nowhere is not a directory/],
  ];
  for (const [args, said] of wrong) {
    const ran = await copy.sync(...args);
    assert.equal(ran.exitCode, 2, args.join(" "));
    assert.match(ran.stderr, said);
  }
});

test("a project's files go up by hash, and a changed file is a changed project", async () => {
  const copy = await workingCopy({
    "projects/app.yaml": 'id: trees/app\nversion: "1"\nsettings: {}\ndirectory: app\n',
    "app/src/a.txt": "one\n",
    "actions/other.yaml": action("trees/other"),
  });
  const client = planledgerClient({ url: service.url, token: service.token });
  const first = await copy.summary("--scope", "projects");
  assert.deepEqual([first.exitCode, first.created, first.errors], [0, 1, []]);
  const { tree, gitTreeId } = await client.projects.get("trees/app");
  await mkdir(join(copy.path, "app/src"), { recursive: true });
  await writeFile(join(copy.path, "app/src/a.txt"), "two\n");
  const second = await copy.summary("--scope", "projects");
  assert.deepEqual([second.updated, second.errors], [1, []]);
  const changed = await client.projects.get("trees/app");
  assert.notEqual(changed.tree, tree);
  assert.notEqual(changed.gitTreeId, gitTreeId);
  assert.deepEqual((await copy.summary("--scope", "projects")).writes, 0);
});

test("a project's files are pulled whole, with its definition; what is in the way is an error, and nothing changes", async () => {
  const here = await workingCopy({
    "projects/app.yaml": '# Ours.\nid: pull/app\nversion: "1"\nsettings: {}\ndirectory: app\n',
    "app/src/a.txt": "one\n",
    "app/gone.txt": "gone\n",
  });
  await here.summary("--scope", "projects");
  const there = await workingCopy();
  const pulled = await there.summary("pull", "--scope", "projects");
  const ours = pulled.errors.filter(({ item }: { item: string }) => item === "pull/app");
  assert.deepEqual(ours, []);
  assert.match(await there.read("projects/pull.app.yaml"), /^directory: pull\.app$/m);
  assert.equal(await there.read("pull.app/src/a.txt"), "one\n");

  await there.put({ "pull.app/src/a.txt": "two\n", "pull.app/new.txt": "new\n" });
  await rm(join(there.path, "pull.app/gone.txt"));
  assert.equal((await there.summary("--scope", "projects")).updated, 1);
  const taken = await here.summary("pull", "--scope", "projects");
  assert.ok(!JSON.stringify(taken.errors).includes("pull/app"), JSON.stringify(taken.errors));
  assert.equal(await here.read("app/src/a.txt"), "two\n");
  assert.equal(await here.read("app/new.txt"), "new\n");
  assert.deepEqual((await readdir(join(here.path, "app"))).sort(), ["new.txt", "src"]);
  assert.match(await here.read("projects/app.yaml"), /^# Ours\.\nid: pull\/app\n/);
  assert.equal((await here.summary("--scope", "projects")).writes, 0);

  const third = await workingCopy({ "pull.app/mine.txt": "mine\n" });
  const refused = await third.summary("pull", "--scope", "projects");
  const [problem] = refused.errors.filter(({ item }: { item: string }) => item === "pull/app");
  assert.match(problem.reason, /pull\.app holds other files/);
  assert.deepEqual(await readdir(join(third.path, "pull.app")), ["mine.txt"]);

  await here.put({ "app/src/a.txt": "ours\n" });
  await there.put({ "pull.app/src/a.txt": "theirs\n" });
  await there.summary("--scope", "projects");
  assert.equal((await here.summary("both", "--scope", "projects")).conflicts.length, 1);
  assert.equal(await here.read("app/src/a.txt"), "ours\n");
  await here.summary("both", "--scope", "projects", "--policy", "server_wins");
  assert.equal(await here.read("app/src/a.txt"), "theirs\n");
  const kept = Object.entries(await picture(join(here.path, ".planledger/conflicts")));
  const texts = kept.map(([path, bytes]) => [
    path.replace(/^\/\w+\//, ""),
    Buffer.from(bytes, "base64").toString(),
  ]);
  assert.deepEqual(Object.fromEntries(texts)["app/src/a.txt"], "ours\n");
});

test("a project may be the directory of all: server ids and other items' files are no change of it", async () => {
  const copy = await workingCopy({
    "projects/all.yaml": 'id: root/all\nversion: "1"\nsettings: {}\n',
    "actions/a.yaml": action("root/a"),
    "src/a.txt": "one\n",
  });
  assert.equal((await copy.summary("--scope", "actions,projects")).created, 2);
  const again = await copy.summary("--scope", "actions,projects");
  assert.deepEqual([again.skipped >= 2, again.updated, again.writes, again.errors], [true, 0, 0, []]);
});

test("a dry run of both directions leaves every byte of files, bases and service", async () => {
  const copy = await workingCopy({ "actions/a.yaml": action("dry/a"), "actions/b.yaml": action("dry/b") });
  await copy.summary("--scope", "actions");
  await copy.put({ "actions/a.yaml": action("dry/a", "1.1"), "actions/new.yaml": action("dry/new") });
  await rm(join(copy.path, "actions/b.yaml"));
  const before = await picture(copy.path);
  const dry = await copy.summary("both", "--scope", "actions", "--dry-run", "--prune", "--force");
  assert.deepEqual([dry.created, dry.updated, dry.deleted, dry.dryRun, dry.writes], [1, 1, 1, true, 0]);
  assert.deepEqual(await picture(copy.path), before);
});

async function picture(path: string): Promise<Readonly<Record<string, string>>> {
  const found = await readdir(path, { recursive: true, withFileTypes: true });
  const files = found.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
  const texts = await Promise.all(
    files.map(async (file) => [file.slice(path.length), await readFile(file, "base64")] as const),
  );
  return Object.fromEntries(texts.sort());
}

test("the examples are taken by the service", async () => {
  const copy = await workingCopy();
  await cp(join(import.meta.dirname, "../examples/agents"), copy.path, { recursive: true });
  const pushed = await copy.summary();
  assert.deepEqual([pushed.exitCode, pushed.created, pushed.errors], [0, 3, []]);
});

const kills = Number(process.env.KILL_RUNS ?? 4);
/** The real command in a process of its own, killed right before its nth change of the disk; 0 for never. */
const killedAt = (
  at: number,
  order: { path: string; args?: readonly string[]; countFile?: string; of?: EmbeddedService },
) =>
  planledger(["sync", ...(order.args ?? [])], {
    cwd: order.path,
    env: {
      PLANLEDGER_URL: (order.of ?? service).url,
      PLANLEDGER_TOKEN: (order.of ?? service).token,
      NODE_OPTIONS: `--import ${hook}`,
      KILL_ROOT: order.path,
      KILL_AT: `${at}`,
      ...(order.countFile === undefined ? {} : { KILL_COUNT: order.countFile }),
    },
  });
const hook = import.meta.resolve("./kill-at-disk-call.testkit.ts");

test("F26: kill -9 at any point of a sync: the next one ends as an undisturbed one, without duplicates", async () => {
  const files = (namespace: string) => ({
    "actions/one.yaml": action(`${namespace}/one`),
    "actions/two.yaml": action(`${namespace}/two`),
    "tools/lookup.yaml": tool(`${namespace}/lookup`),
    "skills/review/SKILL.md": skill.replace(
      "name: review\n",
      `name: review\nmetadata: { id: ${namespace}/review }\n`,
    ),
  });
  const definitions = async (path: string, namespace: string) => {
    const found = Object.entries(await picture(path)).filter(([file]) => !file.startsWith("/.planledger"));
    return found.map(([file, bytes]) => {
      const text = Buffer.from(bytes, "base64").toString();
      return [file, text.replaceAll(namespace, "ours").replace(/server_id: \w+/, "server_id: x")];
    });
  };
  const counting = await workingCopy(files("whole"));
  const elsewhere = await workingCopy();
  const whole = await killedAt(0, { path: counting.path, countFile: join(elsewhere.path, "count") });
  assert.equal(whole.exitCode, 0, whole.stderr);
  const expected = await definitions(counting.path, "whole");
  const changes = Number(await elsewhere.read("count"));
  assert.ok(changes > 10, `the hook counted ${changes} changes of the disk`);
  const client = planledgerClient({ url: service.url, token: service.token });

  for (let kill = 0; kill < kills; kill += 1) {
    const at = 1 + Math.floor((changes * (kill + 0.5)) / kills);
    const namespace = `killed-${at}`;
    const copy = await workingCopy(files(namespace));
    const killed = await killedAt(at, { path: copy.path });
    assert.equal(killed.exitCode, null, `change ${at} of ${changes}: ${killed.stderr}`);
    const next = await copy.summary();
    assert.deepEqual([next.exitCode, next.errors, next.conflicts], [0, [], []], `change ${at}`);
    assert.deepEqual(await definitions(copy.path, namespace), expected, `change ${at}`);
    const { resources } = await client.sync.list({ kinds: ["actions", "tools", "skills"] });
    const ours = resources.filter(({ id }) => id.startsWith(`${namespace}/`));
    assert.deepEqual(
      ours.map(({ revision }) => revision),
      [1, 1, 1, 1],
      `change ${at}`,
    );
    assert.equal((await copy.summary()).writes, 0);
  }
});

test("F26: kill -9 at any point of a pull, of a project's files too: the next one ends as an undisturbed one", async () => {
  const own = await startEmbeddedService({ port: 0 });
  try {
    const source = await workingCopy(
      {
        "actions/one.yaml": action("local/one"),
        "tools/lookup.yaml": tool("local/lookup"),
        "projects/app.yaml": 'id: local/app\nversion: "1"\nsettings: {}\ndirectory: app\n',
        "app/a.txt": "one\n",
        "app/old/b.txt": "b\n",
      },
      own,
    );
    assert.equal((await source.summary()).created, 3);
    const copies = await Promise.all(Array.from({ length: kills + 1 }, () => workingCopy({}, own)));
    for (const copy of copies) assert.equal((await copy.summary("pull")).pulled, 3);
    await source.put({
      "actions/one.yaml": action("local/one", "1.1"),
      "actions/two.yaml": action("local/two"),
      "projects/app.yaml": (await source.read("projects/app.yaml")).replace('"1"', '"2"'),
      "app/a.txt": "two\n",
      "app/new/c.txt": "c\n",
    });
    await rm(join(source.path, "app/old"), { recursive: true });
    await rm(join(source.path, "tools/lookup.yaml"));
    assert.equal((await source.summary("--prune")).exitCode, 0);

    const outside = await workingCopy();
    const countFile = join(outside.path, "count");
    const files = async (path: string) =>
      Object.entries(await picture(path)).filter(([file]) => !file.startsWith("/.planledger"));
    const [counting, ...killedCopies] = copies;
    assert.ok(counting !== undefined);
    const args = ["pull", "--prune"];
    const whole = await killedAt(0, { path: counting.path, args, countFile, of: own });
    assert.equal(whole.exitCode, 0, whole.stderr);
    const expected = await files(counting.path);
    assert.equal(await counting.read("app/new/c.txt"), "c\n");
    const changes = Number(await outside.read("count"));
    for (const [kill, copy] of killedCopies.entries()) {
      const at = 1 + Math.floor((changes * (kill + 0.5)) / kills);
      const killed = await killedAt(at, { path: copy.path, args, of: own });
      assert.equal(killed.exitCode, null, `change ${at} of ${changes}: ${killed.stderr}`);
      const next = await copy.summary(...args);
      assert.deepEqual(
        [next.exitCode, next.errors, next.conflicts],
        [0, [], []],
        `change ${at} of ${changes}`,
      );
      assert.deepEqual(await files(copy.path), expected, `change ${at} of ${changes}`);
      assert.equal((await copy.summary("both", "--prune")).writes, 0);
    }
  } finally {
    await own.stop();
  }
});

test("two services in turn on one checkout leave its files alone, and what a service would refuse is told dry too", async () => {
  const other = await startEmbeddedService({ port: 0 });
  try {
    const copy = await workingCopy({ "actions/a.yaml": action("turns/a") });
    const run = commandRunner({ url: other.url, token: other.token, cwd: copy.path });
    const elsewhere = async () => (await run("sync", "--scope", "actions", "--json")).json();
    await copy.summary("--scope", "actions");
    const given = await copy.read("actions/a.yaml");
    assert.equal((await elsewhere()).created, 1);
    assert.equal(await copy.read("actions/a.yaml"), given);
    for (const sync of [() => copy.summary("--scope", "actions"), elsewhere]) {
      const { errors, skipped, writes } = await sync();
      assert.deepEqual([errors, skipped, writes], [[], 1, 0]);
      assert.equal(await copy.read("actions/a.yaml"), given);
    }

    await copy.put({ "actions/wrong.yaml": action("turns/wrong").replace("arguments: {}", "arguments: 5") });
    for (const dry of [["--dry-run"], []]) {
      const { exitCode, errors } = await copy.summary("--scope", "actions", ...dry);
      assert.deepEqual([exitCode, errors.length, errors[0].field], [1, 1, "arguments"]);
      assert.match(errors[0].reason, /^actions\/wrong\.yaml: .*arguments/);
    }
  } finally {
    await other.stop();
  }
});
