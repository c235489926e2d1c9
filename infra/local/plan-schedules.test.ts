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
