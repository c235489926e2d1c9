// biome-ignore-all lint/suspicious/noTemplateCurlyInString: the placeholders of actions look like JavaScript's.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import * as z from "zod/mini";
import { scheduleReply } from "#lib/api/schedule-requests.ts";
import { clientOf } from "./embedded-service.testkit.ts";
import { type EmbeddedService, startEmbeddedService } from "./start-embedded-service.ts";

let service: EmbeddedService;
/** The functions' clock: half a minute past ten when the tests begin, moved on by them. */
let aheadMs = Date.UTC(2026, 10, 30, 10, 0, 30) - performance.now();
const clock = { now: () => Math.floor(performance.now() + aheadMs) };
const { send, sendJson, ended } = clientOf(() => service);

const note = {
  version: "1",
  arguments: {
    type: "object",
    properties: { path: { type: "string" }, text: { type: "string", default: "noted" } },
    required: ["path"],
    additionalProperties: false,
  },
  plan: {
    decisions: [
      {
        id: "write",
        toolCalls: [{ tool: "write_file", input: { path: "${{ args.path }}", content: "${{ args.text }}" } }],
      },
    ],
  },
};

before(async () => {
  service = await startEmbeddedService({ port: 0, clock });
  const put = await sendJson("/v1/actions/local/note", note, { method: "PUT" });
  assert.equal(put.status, 201, put.text);
});
after(async () => service.stop());

const read = async (name: string) => {
  const answer = await send(`/v1/schedules/${name}`);
  assert.equal(answer.status, 200, answer.text);
  return z.parse(scheduleReply, answer.json());
};
const save = (name: string, body: unknown) => sendJson(`/v1/schedules/${name}`, body, { method: "PUT" });

/** Moves the clock to a schedule's next time, and ticks. */
async function tickAtNext(name: string): Promise<string> {
  const { nextRunAt = "" } = await read(name);
  aheadMs += Math.max(0, Date.parse(nextRunAt) - clock.now());
  await service.runSchedule("tick");
  return nextRunAt;
}

test("a schedule submits the plan of an action at its time, once, however often the tick comes", async () => {
  const saved = await save("hourly", { cron: "0 * * * *", action: "local/note", args: { path: "a.txt" } });
  assert.equal(saved.status, 201, saved.text);
  await service.runSchedule("tick");
  assert.deepEqual((await read("hourly")).runs, []);

  const at = await tickAtNext("hourly");
  await service.runSchedule("tick");
  const { runs, lastRun, nextRunAt = "" } = await read("hourly");
  assert.equal(runs.length, 1);
  assert.ok(lastRun?.outcome === "submitted", JSON.stringify(lastRun));
  assert.equal(lastRun.for, at);
  assert.equal(lastRun.planId, `schedule.hourly.${at.replaceAll(/[-:]|\.\d+/g, "")}`);
  assert.equal(Date.parse(nextRunAt), Date.parse(at) + 3_600_000);
  const status = await ended(lastRun.planId);
  assert.deepEqual([status.phase, status.counts.landed], ["completed", 1]);
});

const code = (answer: { json(): unknown }) =>
  z.parse(z.object({ code: z.string(), field: z.optional(z.string()) }), answer.json());

test("what a submission now would be refused for refuses the schedule, with the field at fault", async () => {
  const good = { cron: "@daily", action: "local/note", args: { path: "a.txt" } };
  const refusals: readonly (readonly [unknown, number, string, string | undefined])[] = [
    [{ ...good, cron: "61 * * * *" }, 422, "validation_failed", "/cron"],
    [{ ...good, timeZone: "Mars/Olympus" }, 422, "validation_failed", "/timeZone"],
    [{ ...good, action: "local/none" }, 422, "unknown_resource", "/action"],
    [{ ...good, args: {} }, 422, "input_invalid", "/args/path"],
    [{ ...good, args: { path: 7 } }, 422, "input_invalid", "/args/path"],
    [{ ...good, projectResources: { app: { project: "local/none" } } }, 422, "unknown_resource", "/action"],
    [{ ...good, automationProfile: "lax" }, 422, "validation_failed", "/automationProfile"],
    [{ ...good, surprise: true }, 422, "validation_failed", "/surprise"],
    [{ action: "local/note" }, 422, "validation_failed", "/cron"],
  ];
  for (const [body, status, expected, field] of refusals) {
    const answer = await save("refused", body);
    assert.deepEqual(
      [answer.status, code(answer)],
      [status, { code: expected, ...(field === undefined ? {} : { field }) }],
      answer.text,
    );
  }
  assert.equal((await send("/v1/schedules/refused")).status, 404);
  assert.equal((await save("no%20name", good)).status, 422);
  assert.equal((await send("/v1/schedules/no%20name")).status, 404);
});

test("an action is held to what it is when the time comes: edited it is the next plan, deleted a failed run", async () => {
  await sendJson("/v1/actions/local/edited", note, { method: "PUT" });
  await save("edited", { cron: "30 * * * *", action: "local/edited", args: { path: "b.txt" } });
  await sendJson(
    "/v1/actions/local/edited",
    { ...note, version: "2", plan: { ...note.plan, name: "second" } },
    { method: "PUT" },
  );
  await tickAtNext("edited");
  const submitted = (await read("edited")).lastRun;
  assert.ok(submitted?.outcome === "submitted", JSON.stringify(submitted));
  const status = z.parse(
    z.looseObject({ name: z.string() }),
    (await send(`/v1/plans/${submitted.planId}`)).json(),
  );
  assert.equal(status.name, "second");

  await send("/v1/actions/local/edited", { method: "DELETE" });
  await tickAtNext("edited");
  const { lastRun, nextRunAt } = await read("edited");
  assert.ok(lastRun?.outcome === "failed", JSON.stringify(lastRun));
  assert.deepEqual([lastRun.problem.code, lastRun.problem.field], ["unknown_resource", "/action"]);
  assert.ok(nextRunAt !== undefined);
});

test("a service that was down fires the latest time, and tells the earlier ones as missed", async () => {
  await save("down", { cron: "*/10 * * * *", action: "local/note", args: { path: "c.txt" } });
  const { nextRunAt = "" } = await read("down");
  aheadMs += Date.parse(nextRunAt) - clock.now() + 25 * 60_000;
  await service.runSchedule("tick");
  const { runs } = await read("down");
  assert.deepEqual(
    runs.map((run) => [run.outcome, Date.parse(run.for) - Date.parse(nextRunAt)]),
    [
      ["submitted", 20 * 60_000],
      ["missed", 0],
    ],
  );
  assert.ok(runs[1]?.outcome === "missed" && runs[1].count === 2);
});

test("a pause lets times pass; a deletion ends it all", async () => {
  await save("paused", { cron: "5 * * * *", action: "local/note", args: { path: "d.txt" }, paused: true });
  aheadMs += 2 * 3_600_000;
  await service.runSchedule("tick");
  const asleep = await read("paused");
  assert.deepEqual([asleep.paused, asleep.nextRunAt, asleep.runs], [true, undefined, []]);
  await send("/v1/schedules/paused/resume", { method: "POST" });
  await tickAtNext("paused");
  assert.equal((await read("paused")).runs.length, 1);
  const { nextRunAt = "" } = await read("paused");
  assert.equal((await send("/v1/schedules/paused", { method: "DELETE" })).status, 204);
  aheadMs += Date.parse(nextRunAt) - clock.now();
  await service.runSchedule("tick");
  const id = `schedule.paused.${nextRunAt.replaceAll(/[-:]|\.\d+/g, "")}`;
  assert.equal((await send(`/v1/plans/${id}`)).status, 404);
  assert.equal((await send("/v1/schedules/paused")).status, 404);
});

test("a schedule speaks for the one who saved it, for another only by who may make tokens, and outlives its token", async () => {
  const tokenOf = async (principal: string, scopes: readonly string[]) => {
    const made = await sendJson("/v1/tokens", { principal, scopes });
    assert.equal(made.status, 201, made.text);
    return z.parse(z.object({ id: z.string(), token: z.string() }), made.json());
  };
  const ada = await tokenOf("ada", ["plans:read", "plans:write"]);
  const body = { cron: "45 * * * *", action: "local/note", args: { path: "e.txt" } };
  const as = (token: string) => ({ method: "PUT", token });
  const forBob = await sendJson("/v1/schedules/hers", { ...body, principal: "bob" }, as(ada.token));
  assert.deepEqual([forBob.status, code(forBob).code], [403, "forbidden"]);
  const reader = await tokenOf("carl", ["plans:read"]);
  assert.equal((await sendJson("/v1/schedules/hers", body, as(reader.token))).status, 403);

  const hers = await sendJson("/v1/schedules/hers", body, as(ada.token));
  assert.equal(hers.status, 201, hers.text);
  assert.equal((await save("his", { ...body, principal: "bob" })).status, 201);
  assert.equal((await send(`/v1/tokens/${ada.id}`, { method: "DELETE" })).status, 204);
  await tickAtNext("hers");
  for (const [name, principal] of [
    ["hers", "ada"],
    ["his", "bob"],
  ] as const) {
    const { lastRun } = await read(name);
    assert.ok(lastRun?.outcome === "submitted", JSON.stringify(lastRun));
    // Another document under the plan's id is answered with whose plan stands there.
    const other = await sendJson(`/v1/plans/${lastRun.planId}/execute`, { decisions: [{ id: "other" }] });
    const problem = z.object({ details: z.looseObject({ submittedBy: z.string() }) });
    assert.equal(z.parse(problem, other.json()).details.submittedBy, principal);
  }
});

test("the list tells schedules by name, page by page", async () => {
  const page = z.object({ schedules: z.array(scheduleReply), cursor: z.optional(z.string()) });
  const names: string[] = [];
  let cursor = "";
  do {
    const answer = await send(`/v1/schedules?limit=2${cursor === "" ? "" : `&cursor=${cursor}`}`);
    const found = z.parse(page, answer.json());
    names.push(...found.schedules.map(({ name }) => name));
    cursor = found.cursor ?? "";
  } while (cursor !== "");
  assert.deepEqual(names, ["down", "edited", "hers", "his", "hourly"]);
});
