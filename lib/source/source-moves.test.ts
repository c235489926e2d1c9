import assert from "node:assert/strict";
import { test } from "node:test";
import { deletedRecord } from "../schedule/timed-record.ts";
import {
  claimedSource,
  finishedSource,
  lookAtSource,
  pausedSource,
  type RunEnd,
  requestedSource,
  type SourceOrder,
  savedSource,
  standingOf,
} from "./source-moves.ts";
import type { SyncSource } from "./sync-source.ts";

const minuteMs = 60_000;
const now = Date.UTC(2026, 10, 30, 10);
const order: SourceOrder = {
  tenant: "acme",
  name: "upstream",
  from: { kind: "catalogue", url: "https://example.org/catalogue.json" },
  rules: {
    ...{ scope: ["skills"], direction: "pull", policy: "manual" },
    ...{ dryRun: false, prune: false, force: false, maxDelete: 100 },
  },
  everyMinutes: 15,
  savedBy: "ada",
  paused: false,
};

const saved = (fields: Partial<SourceOrder> = {}, standing?: SyncSource, atEpochMs = now): SyncSource =>
  savedSource(
    standing,
    { ...order, ...fields },
    { nowEpochMs: atEpochMs, newSourceId: `place-${standing?.revision ?? 0}` },
  );

function claimed(source: SyncSource, atEpochMs = now): SyncSource {
  const next = claimedSource(source, { nowEpochMs: atEpochMs, untilEpochMs: atEpochMs + 5 * minuteMs });
  assert.ok(next !== undefined, "it is due");
  return next;
}
const ticketOf = (source: SyncSource) => {
  assert.ok(source.lease !== undefined);
  return { sourceId: source.lease.sourceId, run: source.lease.run };
};
function finished(
  source: SyncSource,
  end: RunEnd,
  how: { atEpochMs?: number; random?: number } = {},
): SyncSource {
  const { atEpochMs = now, random = 0.5 } = how;
  const next = finishedSource(source, ticketOf(source), { ...end, nowEpochMs: atEpochMs, random });
  assert.ok(next !== undefined, "it holds the lease");
  return next;
}
const completed: RunEnd = { kind: "completed", seen: undefined };
const look = (source: SyncSource, atEpochMs: number) =>
  lookAtSource(source, { nowEpochMs: atEpochMs, random: 0.5 });

test("a source that is saved is due at once, and claimed by one run alone", () => {
  const source = saved();
  assert.equal(look(source, now).kind, "send");
  const running = claimed(source);
  assert.equal(running.runs, 1);
  assert.equal(claimedSource(running, { nowEpochMs: now, untilEpochMs: now + 1 }), undefined);
  assert.equal(running.lookAtEpochSeconds, (now + 5 * minuteMs) / 1000);
  assert.deepEqual(look(running, now + 5 * minuteMs - 1), { kind: "nothing" });
});

test("word that was sent is waited for, and sent again when nobody took it up", () => {
  const sent = look(saved(), now);
  assert.ok(sent.kind === "send");
  assert.deepEqual(look(sent.source, now + minuteMs), { kind: "nothing" });
  assert.equal(look(sent.source, now + 2 * minuteMs).kind, "send");
  assert.equal(claimed(sent.source).sentUntilEpochMs, undefined);
});

test("a run that completed is followed by the next after the source's interval", () => {
  const done = finished(claimed(saved()), completed, { atEpochMs: now + minuteMs });
  assert.equal(done.nextAtEpochMs, now + 16 * minuteMs);
  assert.deepEqual(done.lastRun, { run: 1, outcome: "completed", endedAtEpochMs: now + minuteMs });
  assert.equal(claimedSource(done, { nowEpochMs: now + 2 * minuteMs, untilEpochMs: 0 }), undefined);
});

test("failures in a row are waited for twice as long each, half of it random, up to six hours", () => {
  const waits = (random: number) => {
    let source = saved();
    const found: number[] = [];
    let at = now;
    for (let failure = 1; failure <= 12; failure += 1) {
      source = finished(claimed(source, at), { kind: "failed" }, { atEpochMs: at, random });
      found.push(((source.nextAtEpochMs ?? 0) - at) / minuteMs);
      at = source.nextAtEpochMs ?? 0;
    }
    return { found, source, at };
  };
  assert.deepEqual(waits(0).found, [0.5, 1, 2, 4, 8, 16, 32, 64, 128, 180, 180, 180]);
  assert.deepEqual(waits(1).found, [1, 2, 4, 8, 16, 32, 64, 128, 256, 360, 360, 360]);
  const { source, at } = waits(0.5);
  assert.equal(source.failures, 12);
  assert.equal(finished(claimed(source, at), completed, { atEpochMs: at }).failures, 0);
});

test("a source that runs rarely does not run more often for failing", () => {
  let source = saved({ everyMinutes: 24 * 60 });
  for (let failure = 1; failure <= 20; failure += 1) {
    const at = source.nextAtEpochMs ?? 0;
    source = finished(claimed(source, at), { kind: "failed" }, { atEpochMs: at, random: 1 });
  }
  const last = finished(
    claimed(source, source.nextAtEpochMs ?? 0),
    { kind: "failed" },
    { atEpochMs: now, random: 1 },
  );
  assert.equal(last.nextAtEpochMs, now + 24 * 60 * minuteMs);
});

test("a run out of time is followed at once where it got on, and counts as a failure where it did not", () => {
  const on = finished(claimed(saved()), { kind: "unfinished", progress: true });
  assert.deepEqual([on.nextAtEpochMs, on.failures], [now, 0]);
  const stuck = finished(claimed(saved()), { kind: "unfinished", progress: false });
  assert.deepEqual([stuck.nextAtEpochMs, stuck.failures], [now + 45_000, 1]);
});

test("a lease that ran out is told as a killed run, and the next one waits as after a failure", () => {
  const running = claimed(saved());
  const expired = look(running, now + 5 * minuteMs);
  assert.ok(expired.kind === "expire");
  assert.equal(expired.lease.run, 1);
  assert.deepEqual([expired.source.failures, expired.source.lastRun?.outcome], [1, "killed"]);
  assert.equal(expired.source.nextAtEpochMs, now + 5 * minuteMs + 45_000);
  // Nobody claims it before that is on record.
  assert.equal(claimedSource(running, { nowEpochMs: now + 6 * minuteMs, untilEpochMs: 0 }), undefined);
  assert.equal(
    finishedSource(expired.source, ticketOf(running), { ...completed, nowEpochMs: now, random: 0 }),
    undefined,
  );
});

test("a save under a run tells it to end, and is due as soon as that is over; what both sides agreed on stays known", () => {
  const running = claimed(saved());
  const edited = saved({ rules: { ...order.rules, prune: true } }, running, now + minuteMs);
  assert.equal(standingOf(edited, ticketOf(running), now + minuteMs), "stop");
  assert.equal(claimedSource(edited, { nowEpochMs: now + minuteMs, untilEpochMs: 0 }), undefined);
  assert.equal(edited.sourceId, running.sourceId);
  const ended = finished(edited, { kind: "stopped" }, { atEpochMs: now + 2 * minuteMs });
  assert.deepEqual([ended.nextAtEpochMs, ended.lease], [now + minuteMs, undefined]);
  assert.equal(claimed(ended, now + 2 * minuteMs).runs, 2);
});

test("a source that leads elsewhere begins anew, and only once the run to the old place has ended", () => {
  const done = finished(claimed(saved()), { kind: "completed", seen: { sha256: "a".repeat(64) } });
  assert.ok(done.seen !== undefined);
  const running = claimed({ ...done, nextAtEpochMs: now });
  const moved = saved({ from: { kind: "catalogue", url: "https://example.org/other.json" } }, running);
  assert.notEqual(moved.sourceId, running.sourceId);
  assert.deepEqual([moved.runs, moved.seen], [0, undefined]);
  assert.equal(standingOf(moved, ticketOf(running), now), "stop");
  assert.equal(claimedSource(moved, { nowEpochMs: now, untilEpochMs: 0 }), undefined);
  const ended = finished(moved, { kind: "stopped" });
  assert.deepEqual(ticketOf(claimed(ended)), { sourceId: moved.sourceId, run: 1 });
});

test("what was seen of a catalogue is forgotten with every save, since other options may find something to do", () => {
  const done = finished(claimed(saved()), {
    kind: "completed",
    seen: { sha256: "a".repeat(64), etag: '"1"' },
  });
  assert.deepEqual(done.seen, { sha256: "a".repeat(64), etag: '"1"' });
  assert.equal(saved({ rules: { ...order.rules, prune: true } }, done).seen, undefined);
});

test("a pause ends the run under way and lets nothing run but what is asked for; its end is due at once", () => {
  const running = claimed(saved());
  const paused = pausedSource(running, true, now);
  assert.equal(standingOf(paused, ticketOf(running), now), "stop");
  const ended = finished(paused, { kind: "stopped" });
  assert.deepEqual([ended.nextAtEpochMs, ended.lookAtEpochSeconds], [undefined, undefined]);
  assert.equal(claimedSource(ended, { nowEpochMs: now, untilEpochMs: 0 }), undefined);
  const asked = requestedSource(ended);
  assert.equal(look(asked, now).kind, "send");
  const once = finished(claimed(asked), completed);
  assert.deepEqual([once.nextAtEpochMs, once.requested], [undefined, false]);
  assert.equal(pausedSource(once, false, now + 1).nextAtEpochMs, now + 1);
});

test("a run may go on while it holds the lease, by its number and the clock", () => {
  const running = claimed(saved());
  const ticket = ticketOf(running);
  assert.equal(standingOf(running, ticket, now + 5 * minuteMs - 1), "held");
  assert.equal(standingOf(running, ticket, now + 5 * minuteMs), "lost");
  assert.equal(standingOf(running, { ...ticket, run: 2 }, now), "lost");
  assert.equal(standingOf(running, { ...ticket, sourceId: "another" }, now), "lost");
  assert.equal(standingOf(finished(running, completed), ticket, now), "lost");
  assert.equal(standingOf(deletedRecord(running), ticket, now), "stop");
});
