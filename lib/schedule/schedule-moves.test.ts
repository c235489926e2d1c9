import assert from "node:assert/strict";
import { test } from "node:test";
import type { PlanSchedule } from "./plan-schedule.ts";
import {
  decideFiring,
  pausedSchedule,
  type ScheduleOrder,
  savedSchedule,
  scheduledPlanId,
  settledSchedule,
} from "./schedule-moves.ts";
import { deletedRecord } from "./timed-record.ts";

const at = (time: string) => Date.parse(`2026-11-30T${time}Z`);
const order: ScheduleOrder = {
  tenant: "acme",
  name: "nightly",
  cron: "*/10 * * * *",
  timeZone: "UTC",
  request: { action: "local/tidy", args: { path: "a" } },
  principal: "ada",
  savedBy: "ada",
  paused: false,
};
const iso = (epochMs: number | undefined) =>
  epochMs === undefined ? undefined : new Date(epochMs).toISOString().slice(11, 19);

const saved = (now: string, fields: Partial<ScheduleOrder> = {}, standing?: PlanSchedule): PlanSchedule =>
  savedSchedule(standing, { ...order, ...fields }, at(now));

function fired(schedule: PlanSchedule, now: string) {
  const decision = decideFiring(schedule, at(now));
  assert.ok(decision.kind === "fire", decision.kind);
  return decision;
}

test("a schedule is looked at when its next time comes, and not before", () => {
  const schedule = saved("10:01:00");
  assert.equal(iso(schedule.nextAtEpochMs), "10:10:00");
  assert.equal(schedule.lookAtEpochSeconds, at("10:10:00") / 1000);
  assert.deepEqual(decideFiring(schedule, at("10:09:59")), { kind: "nothing" });
  const { firing, schedule: next } = fired(schedule, "10:10:00");
  assert.equal(firing.planId, "schedule.nightly.20261130T101000Z");
  assert.deepEqual([iso(next.nextAtEpochMs), next.runs], ["10:20:00", []]);
});

test("of times that nobody looked at the latest fires, and the earlier ones are one entry that says how many", () => {
  const { firing, schedule } = fired(saved("10:01:00"), "10:45:30");
  assert.equal(iso(firing.forEpochMs), "10:40:00");
  assert.equal(firing.planId, "schedule.nightly.20261130T104000Z");
  assert.equal(iso(schedule.nextAtEpochMs), "10:50:00");
  assert.deepEqual(schedule.runs, [
    {
      outcome: "missed",
      forEpochMs: at("10:10:00"),
      untilEpochMs: at("10:30:00"),
      atEpochMs: at("10:45:30"),
      count: 3,
      more: false,
    },
  ]);
});

test("a service that was down for days counts up to a thousand missed times, and fires the latest", () => {
  const schedule = saved("10:00:30", { cron: "* * * * *" });
  const threeDaysLater = at("10:00:30") + 3 * 86_400_000;
  const decision = decideFiring(schedule, threeDaysLater);
  assert.ok(decision.kind === "fire");
  assert.equal(decision.firing.forEpochMs, threeDaysLater - 30_000);
  const [missed] = decision.schedule.runs;
  assert.ok(missed?.outcome === "missed");
  assert.deepEqual([missed.count, missed.more, iso(missed.forEpochMs)], [1000, true, "10:01:00"]);
});

test("a firing that was begun is tried again later with what it was begun with, before any later time", () => {
  const begun = fired(saved("10:01:00"), "10:10:05").schedule;
  assert.equal(begun.lookAtEpochSeconds, at("10:11:05") / 1000);
  assert.deepEqual(decideFiring(begun, at("10:11:04")), { kind: "nothing" });
  const edited = saved("10:11:00", { request: { action: "local/tidy", args: { path: "b" } } }, begun);
  const again = fired(edited, "10:31:00");
  assert.deepEqual(again.firing.request.args, { path: "a" });
  assert.deepEqual([again.firing.planId, again.firing.attempts], ["schedule.nightly.20261130T101000Z", 2]);
});

test("a firing that fails again and again is given up as failed, and the next time is tried as usual", () => {
  let schedule = fired(saved("10:01:00"), "10:10:00").schedule;
  let now = at("10:10:00");
  for (let tries = 1; tries < 8; tries += 1) {
    now = schedule.firing?.retryAtEpochMs ?? 0;
    const decision = decideFiring(schedule, now);
    assert.ok(decision.kind === "fire", `try ${tries}`);
    schedule = decision.schedule;
  }
  now = schedule.firing?.retryAtEpochMs ?? 0;
  assert.ok(now - at("10:10:00") > 3_600_000 && now - at("10:10:00") < 2 * 3_600_000);
  const decision = decideFiring(schedule, now);
  assert.ok(decision.kind === "give_up");
  const [run] = decision.schedule.runs;
  assert.ok(run?.outcome === "failed" && run.problem.code === "unavailable");
  assert.equal(decision.schedule.firing, undefined);
  assert.equal(decideFiring(decision.schedule, now).kind, "fire");
});

test("an outcome is recorded once, and only that of the firing under way", () => {
  const { schedule, firing } = fired(saved("10:01:00"), "10:10:00");
  const run = {
    outcome: "submitted",
    forEpochMs: firing.forEpochMs,
    atEpochMs: 1,
    planId: firing.planId,
  } as const;
  const settled = settledSchedule(schedule, run);
  assert.deepEqual(settled?.runs, [run]);
  assert.equal(settled?.lookAtEpochSeconds, at("10:20:00") / 1000);
  assert.ok(settled !== undefined);
  assert.equal(settledSchedule(settled, run), undefined);
  assert.equal(settledSchedule(schedule, { ...run, forEpochMs: at("10:20:00") }), undefined);
});

test("saving again keeps a time that is due, with what is saved now; other times count from now on", () => {
  const schedule = saved("10:01:00");
  const edited = saved("10:10:20", { request: { action: "local/other" } }, schedule);
  assert.deepEqual([iso(edited.nextAtEpochMs), edited.revision], ["10:10:00", 2]);
  assert.equal(fired(edited, "10:10:30").firing.request.action, "local/other");
  const moved = saved("10:10:20", { cron: "0 * * * *" }, schedule);
  assert.equal(iso(moved.nextAtEpochMs), "11:00:00");
  const elsewhere = saved("10:10:20", { timeZone: "Asia/Kathmandu" }, schedule);
  assert.equal(iso(elsewhere.nextAtEpochMs), "10:15:00");
});

test("in a pause times pass, and are neither made up for nor missed; what was begun is still brought to its end", () => {
  const paused = pausedSchedule(saved("10:01:00"), true, at("10:02:00"));
  assert.deepEqual([paused.nextAtEpochMs, paused.lookAtEpochSeconds], [undefined, undefined]);
  assert.deepEqual(decideFiring(paused, at("12:00:00")), { kind: "nothing" });
  const resumed = pausedSchedule(paused, false, at("12:03:00"));
  assert.equal(iso(resumed.nextAtEpochMs), "12:10:00");
  assert.deepEqual(resumed.runs, []);
  const begun = pausedSchedule(fired(saved("10:01:00"), "10:10:00").schedule, true, at("10:10:01"));
  assert.equal(begun.lookAtEpochSeconds, at("10:11:00") / 1000);
  assert.equal(decideFiring(begun, at("10:11:00")).kind, "fire");
  assert.equal(pausedSchedule(paused, true, at("12:00:00")), paused);
});

test("a schedule of a deleted one's name begins anew, its revisions go on", () => {
  const settled = { ...saved("10:01:00"), runs: [] };
  const anew = savedSchedule(deletedRecord(settled), order, at("11:01:00"));
  assert.deepEqual([anew.revision, anew.runs, iso(anew.nextAtEpochMs)], [3, [], "11:10:00"]);
});

test("the id of a plan is the schedule's and the time's", () => {
  assert.equal(scheduledPlanId("a.b-c_d", at("09:05:00")), "schedule.a.b-c_d.20261130T090500Z");
  assert.notEqual(scheduledPlanId("a", at("09:05:00")), scheduledPlanId("a", at("09:06:00")));
});
