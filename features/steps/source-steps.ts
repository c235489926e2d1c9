import assert from "node:assert/strict";
import { Given, Then, When } from "@cucumber/cucumber";
import type { SourceReply, SourceRunReply } from "#lib/api/source-requests.ts";
import type { PlanWorld } from "../support/plan-world.ts";
import { type TimedService, timedService } from "../support/timed-service.ts";

const slow = { timeout: 120_000 };
let scenarios = 0;

interface Scene {
  readonly service: TimedService;
  readonly source: string;
  readonly path: string;
  readonly offered: Map<string, { readonly text: string; readonly version: number }>;
  runs: number;
}

const scenes = new WeakMap<PlanWorld, Scene>();
const scene = (world: PlanWorld): Scene => {
  const known = scenes.get(world);
  assert.ok(known, "there is no catalogue");
  return known;
};

/** Skills of a scenario have a namespace of their own. */
const idOf = ({ source }: Scene, name: string): string => `${source}/${name}`;
const skill = (id: string, { text, version }: { readonly text: string; readonly version: number }) => ({
  ...{ id, name: id, version: `${version}`, metadata: {}, instructions: text },
});

function offer(known: Scene): void {
  const items = [...known.offered].map(([name, content]) => ({
    kind: "skills",
    document: skill(idOf(known, name), content),
  }));
  known.service.web.offer(known.path, items);
}

const read = (world: PlanWorld): Promise<SourceReply> => {
  const { service, source } = scene(world);
  return service.client.sources.get(source);
};

/** The run with this number, once it has ended. */
async function ended(world: PlanWorld, run: number): Promise<SourceRunReply> {
  const { service, source } = scene(world);
  for (const giveUp = AbortSignal.timeout(60_000); ; giveUp.throwIfAborted()) {
    const found = (await service.client.sources.runs(source)).find((one) => one.run === run);
    const { running } = await read(world);
    if (found !== undefined && running === undefined) return found;
    if (running === undefined) await service.tick();
  }
}
const lastRun = (world: PlanWorld): Promise<SourceRunReply> => ended(world, scene(world).runs);

async function skillHere(world: PlanWorld, name: string): Promise<string | undefined> {
  const known = scene(world);
  const { results } = await known.service.client.sync.batch({
    operations: [{ op: "get", kind: "skills", id: idOf(known, name) }],
  });
  const [result] = results;
  return result?.status === "found" ? String(result.item.instructions) : undefined;
}

Given(
  "a catalogue with the skills {names}",
  slow,
  async function (this: PlanWorld, names: readonly string[]) {
    const service = await timedService();
    scenarios += 1;
    const known: Scene = {
      service,
      source: `elsewhere-${scenarios}`,
      path: `/catalogue-${scenarios}.json`,
      offered: new Map(names.map((name) => [name, { text: "first", version: 1 }])),
      runs: 0,
    };
    scenes.set(this, known);
    offer(known);
  },
);

When("the catalogue is registered as a sync source( that prunes)", slow, async function (this: PlanWorld) {
  const known = scene(this);
  const { web, client } = known.service;
  await client.sources.save(known.source, {
    from: { kind: "catalogue", url: `${web.url}${known.path}` },
    prune: true,
    everyMinutes: 15,
  });
  known.runs = 1;
  await lastRun(this);
});

When("the sync source's time comes", slow, async function (this: PlanWorld) {
  const known = scene(this);
  const { nextRunAt = "" } = await read(this);
  known.service.advance(Math.max(0, Date.parse(nextRunAt) - known.service.now()));
  await known.service.tick();
  known.runs += 1;
  await lastRun(this);
});

When(
  "the catalogue's skill {string} is changed to {string}",
  function (this: PlanWorld, name: string, text: string) {
    const known = scene(this);
    known.offered.set(name, { text, version: (known.offered.get(name)?.version ?? 0) + 1 });
    offer(known);
  },
);

When("the catalogue's skill {string} is taken out", function (this: PlanWorld, name: string) {
  const known = scene(this);
  known.offered.delete(name);
  offer(known);
});

When(
  "the tenant's skill {string} is changed to {string}",
  async function (this: PlanWorld, name: string, text: string) {
    const known = scene(this);
    const { results } = await known.service.client.sync.batch({
      operations: [
        {
          op: "put",
          kind: "skills",
          item: skill(idOf(known, name), { text, version: 7 }),
          expectedRevision: 1,
        },
      ],
    });
    assert.equal(results[0]?.status, "written");
  },
);

When("the catalogue's server breaks down", function (this: PlanWorld) {
  const { service, path } = scene(this);
  service.web.breakDown(path, true);
});
When("the catalogue's server is repaired", function (this: PlanWorld) {
  const { service, path } = scene(this);
  service.web.breakDown(path, false);
});

Then(
  "the tenant has the skill {string} with the text {string}",
  async function (this: PlanWorld, name: string, text: string) {
    assert.equal(await skillHere(this, name), text);
  },
);

Then("the tenant has no skill {string}", async function (this: PlanWorld, name: string) {
  assert.equal(await skillHere(this, name), undefined);
});

Then(
  "the last run pulled {int}, and deleted {int}",
  async function (this: PlanWorld, pulled: number, deleted: number) {
    const run = await lastRun(this);
    assert.deepEqual(
      [run.outcome, run.summary?.pulled, run.summary?.deleted],
      ["completed", pulled, deleted],
    );
  },
);

Then("the last run cost one conditional request, and wrote nothing", async function (this: PlanWorld) {
  const { service, path } = scene(this);
  const run = await lastRun(this);
  assert.deepEqual(
    [run.unchanged, run.summary?.requests, run.summary?.writes, run.summary?.pulled],
    [true, 1, 0, 0],
  );
  assert.equal(service.web.answers(path).at(-1), 304);
});

Then("the last run reports a conflict about {string}", async function (this: PlanWorld, name: string) {
  const run = await lastRun(this);
  assert.deepEqual(
    run.summary?.conflicts.map(({ item }) => item),
    [idOf(scene(this), name)],
  );
});

Then(
  "the last run failed, and the next one waits {int} to {int} seconds",
  async function (this: PlanWorld, least: number, most: number) {
    const run = await lastRun(this);
    assert.ok(run.outcome === "failed" && run.problem?.code === "external_failed", JSON.stringify(run));
    const { nextRunAt = "", lastRun: last } = await read(this);
    const waitSeconds = (Date.parse(nextRunAt) - Date.parse(last?.endedAt ?? "")) / 1000;
    assert.ok(waitSeconds >= least - 1 && waitSeconds <= most + 1, `${waitSeconds} s`);
  },
);
