// biome-ignore-all lint/suspicious/noTemplateCurlyInString: the placeholders of actions look like JavaScript's.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { type EmbeddedService, startEmbeddedService } from "#infra/local/start-embedded-service.ts";
import { planledgerClient } from "#lib/client/planledger-client.ts";
import { type Outside, outsideServer } from "#lib/tools/external/outside.testkit.ts";
import { type Scratch, scratch } from "./files/scratch.testkit.ts";
import { commandRunner } from "./run-in-process.testkit.ts";

let service: EmbeddedService;
let web: Outside;
let dir: Scratch;
let run: ReturnType<typeof commandRunner>;

const skill = (id: string, instructions: string) => ({
  kind: "skills",
  document: { id, name: id, version: "1", metadata: {}, instructions },
});
let items: readonly unknown[] = [skill("team/review", "look twice")];

const greet = {
  id: "local/greet",
  name: "greet",
  version: "1",
  metadata: {},
  arguments: {
    type: "object",
    properties: { name: { type: "string" }, times: { type: "integer", default: 1 } },
    required: ["name"],
  },
  plan: {
    decisions: [
      {
        id: "d1",
        toolCalls: [{ tool: "write_file", input: { path: "greeting", content: "${{ args.name }}" } }],
      },
    ],
  },
};

before(async () => {
  web = await outsideServer((_, response) => response.end(JSON.stringify({ planledgerCatalogue: 1, items })));
  // Far from midnight, whenever the tests run.
  const aheadMs = Date.UTC(2026, 10, 30, 10) - performance.now();
  const clock = { now: () => Math.floor(performance.now() + aheadMs) };
  service = await startEmbeddedService({ port: 0, clock, allowedHosts: [`127.0.0.1:${web.port}`] });
  dir = await scratch();
  run = commandRunner({ ...service, cwd: dir.path });
  const client = planledgerClient(service);
  const operations = [{ op: "put", kind: "actions", item: greet, expectedRevision: 0 }] as const;
  const { results } = await client.sync.batch({ operations: [...operations] });
  assert.equal(results[0]?.status, "written");
});
after(async () => {
  await service.stop();
  await web[Symbol.asyncDispose]();
  await dir[Symbol.asyncDispose]();
});

const ok = async (...args: readonly string[]) => {
  const ran = await run(...args);
  assert.equal(ran.exitCode, 0, ran.stderr + ran.stdout);
  return ran;
};

test("schedule: save, list, show, pause, resume, delete; arguments get the types that the action gives them", async () => {
  const action = ["--action", "local/greet", "--arg", "name=Ada", "--arg", "times=3"];
  const saved = (await ok("schedule", "save", "daily", "--cron", "@daily", ...action, "--json")).json();
  assert.deepEqual([saved.name, saved.args, saved.timeZone], ["daily", { name: "Ada", times: 3 }, "UTC"]);
  assert.match(
    (await ok("schedule", "list")).stdout,
    /^daily {2}\S+ 00:00:00 UTC {2}@daily UTC .*local\/greet/,
  );
  assert.match((await ok("schedule", "show", "daily")).stdout, /^next +\S+ 00:00:00 UTC$/m);
  assert.equal((await ok("schedule", "pause", "daily", "--json")).json().paused, true);
  assert.match((await ok("schedule", "show", "daily")).stdout, /next +paused/);
  assert.equal((await ok("schedule", "resume", "daily", "--json")).json().nextRunAt, saved.nextRunAt);
  assert.deepEqual((await ok("schedule", "delete", "daily", "--json")).json(), {
    name: "daily",
    deleted: true,
  });
  assert.match((await ok("schedule", "list")).stdout, /no schedules/);
});

test("schedule: what is wrong is said before anything is saved, by the field at fault", async () => {
  const wrongCron = await run(
    "schedule",
    "save",
    "x",
    "--cron",
    "never",
    "--action",
    "local/greet",
    "--arg",
    "name=A",
    "--json",
  );
  assert.deepEqual([wrongCron.exitCode, wrongCron.json().error.details.field], [1, "/cron"]);
  const lacking = await run("schedule", "save", "x", "--cron", "@daily", "--action", "local/greet");
  assert.equal(lacking.exitCode, 2);
  assert.match(lacking.stderr, /name/);
  const missing = await run("schedule", "show", "x", "--json");
  assert.deepEqual([missing.exitCode, missing.json().error.code], [1, "not_found"]);
  assert.equal((await run("schedule", "show", "no/name")).exitCode, 2);
});

test("sync source: save, run and wait, runs, pause, resume, delete; conflicts make the run's exit code 1", async () => {
  const from = ["--catalogue", `${web.url}/catalogue.json`];
  const saved = (
    await ok("sync", "source", "save", "skills", ...from, "--scope", "skills,actions", "--paused", "--json")
  ).json();
  assert.deepEqual([saved.scope, saved.policy, saved.paused], [["actions", "skills"], "manual", true]);
  const waited = (await ok("sync", "source", "run", "skills", "--wait", "--json")).json();
  assert.deepEqual([waited.run, waited.outcome, waited.summary.pulled], [1, "completed", 1]);
  assert.match((await ok("sync", "source", "runs", "skills")).stdout, /^1 .*completed .*1 item pulled/);

  await planledgerClient(service).sync.batch({
    operations: [
      { op: "put", kind: "skills", item: { ...skill("team/own", "mine").document }, expectedRevision: 0 },
    ],
  });
  items = [...items, skill("team/own", "theirs")];
  const conflicting = await run("sync", "source", "run", "skills", "--wait");
  assert.equal(conflicting.exitCode, 1);
  assert.match(conflicting.stdout, /1 conflict, .*\n +conflict +skills team\/own/);

  assert.match((await ok("sync", "source", "list")).stdout, /^skills +paused +catalogue http/);
  assert.match((await ok("sync", "source", "show", "skills")).stdout, /last run +2 completed/);
  assert.equal((await ok("sync", "source", "resume", "skills", "--json")).json().paused, false);
  assert.equal((await ok("sync", "source", "pause", "skills", "--json")).json().paused, true);
  await ok("sync", "source", "delete", "skills");
  assert.match((await ok("sync", "source", "list")).stdout, /no sync sources/);
});

test("sync source: a token is named, and never given itself", async () => {
  const base = ["sync", "source", "save", "up", "--service", "https://planledger.example"];
  assert.equal((await run(...base)).exitCode, 2);
  const given = await run(...base, "--token", "plt_abc_def", "--json");
  assert.deepEqual([given.exitCode, given.json().error.details.field], [1, "/from/token"]);
  assert.match(given.json().error.message, /secret:/);
});

test("sync itself still takes its direction and options beside the commands below it", async () => {
  assert.equal((await ok("sync", "push", "--dry-run", "--json")).json().dryRun, true);
  assert.equal((await run("sync", "sideways")).exitCode, 2);
});
