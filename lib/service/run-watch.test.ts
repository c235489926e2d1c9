import assert from "node:assert/strict";
import { test } from "node:test";
import { claimedSource, pausedSource, savedSource } from "../source/source-moves.ts";
import type { SyncSource } from "../source/sync-source.ts";
import { RunEnded, runWatch } from "./run-watch.ts";

const start = Date.UTC(2026, 10, 30, 10);
const key = { tenant: "acme", name: "upstream" };

function watched() {
  let nowEpochMs = start;
  let remainingMs = 300_000;
  let reads = 0;
  const timers: (() => void)[] = [];
  const saved = savedSource(
    undefined,
    {
      ...{ ...key, everyMinutes: 60, savedBy: "ada", paused: false },
      from: { kind: "catalogue", url: "https://example.org/" },
      rules: {
        ...{ scope: ["skills"], direction: "pull", policy: "manual", dryRun: false },
        ...{ prune: false, force: false, maxDelete: 0 },
      },
    },
    { nowEpochMs, newSourceId: "place" },
  );
  const claimed = claimedSource(saved, { nowEpochMs, untilEpochMs: start + 60_000 });
  assert.ok(claimed !== undefined);
  let standing: SyncSource = claimed;
  const watch = runWatch(
    {
      sources: {
        async get() {
          reads += 1;
          return standing;
        },
      },
      clock: { now: () => nowEpochMs },
      timer: {
        after(_, callback) {
          timers.push(callback);
          return { cancel: () => void timers.splice(timers.indexOf(callback), 1) };
        },
      },
    },
    { key, source: claimed, ticket: { sourceId: "place", run: 1 }, remainingMs: () => remainingMs },
  );
  return {
    watch,
    timers,
    reads: () => reads,
    advance(byMs: number) {
      nowEpochMs += byMs;
    },
    leave(ms: number) {
      remainingMs = ms;
    },
    change(move: (source: SyncSource) => SyncSource) {
      standing = move(standing);
    },
    /** What waits for a second has waited. */
    second() {
      for (const callback of timers.splice(0)) callback();
    },
  };
}

const because = (expected: RunEnded["because"]) => (error: unknown) =>
  error instanceof RunEnded && error.because === expected;

test("a run reads again whether it may write once a second at most, and ends where somebody wants it to", async () => {
  const run = watched();
  await run.watch.guard();
  await run.watch.guard();
  assert.equal(run.reads(), 0);
  run.advance(1_000);
  await run.watch.guard();
  await run.watch.guard();
  assert.equal(run.reads(), 1);
  run.change((source) => pausedSource(source, true, start));
  await run.watch.guard();
  run.advance(1_000);
  await assert.rejects(run.watch.guard(), because("stop"));
  assert.ok(because("stop")(run.watch.reasonOf(new Error("whatever came of it"))));
});

test("a run that wakes up after its lease writes nothing, whatever the record says", async () => {
  const run = watched();
  run.advance(60_000);
  await assert.rejects(run.watch.guard(), because("lost"));
  assert.equal(run.reads(), 0);
});

test("a run that waits for the other side ends when its time is over, also when that comes early", () => {
  const run = watched();
  run.second();
  run.second();
  assert.equal(run.watch.ending.signal.aborted, false);
  run.leave(0);
  run.second();
  assert.ok(because("out_of_time")(run.watch.ending.signal.reason));
  assert.throws(() => run.watch.check(), because("out_of_time"));
});

test("a watch that has ended leaves nothing behind", () => {
  const run = watched();
  run.second();
  run.watch.end();
  assert.equal(run.timers.length, 0);
});
