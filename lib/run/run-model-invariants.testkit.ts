import assert from "node:assert/strict";
import { sha256Hex } from "../canonical/sha256.ts";
import type { DecisionRecord } from "./decision-record.ts";
import { decisionRecordSha256 } from "./decision-record-hash.ts";
import type { Frontier } from "./frontier.ts";
import { ledgerGenesis, ledgerHeadOf } from "./ledger-chain.ts";
import type { ModelWorld } from "./model-world.testkit.ts";
import { readDecisions } from "./read-decisions.ts";
import { readEntries } from "./read-entries.ts";
import { readEvents } from "./read-events.ts";
import { readFailures } from "./read-failures.ts";
import { readEntryContent, readRunState } from "./read-run-state.ts";
import type { RunEvent } from "./run-event.ts";
import type { ScheduleResult } from "./run-model.testkit.ts";
import { isSigned, key, planId } from "./run-plan.testkit.ts";
import { openRunView } from "./run-view-ports.ts";
import { assertAsExpected, serialOracle } from "./serial-oracle.testkit.ts";

/** Everything that must hold once a schedule is over, whatever happened in it. */
export async function assertScheduleHolds({ world, answers }: ScheduleResult): Promise<void> {
  world.sim.end();
  assertFences(world.history);
  assertAnswersKept({ world, answers });
  await assertExternalCalls(world);
  const finals = await assertSerialResult(world);
  await assertEvents(world, finals);
  await assertReads(world);
}

/** Position and heads move only while a run is running; an end is an end. */
function assertFences(history: readonly Frontier[]): void {
  const last = new Map<number, Frontier>();
  for (const frontier of history) {
    const before = last.get(frontier.run);
    last.set(frontier.run, frontier);
    if (before === undefined) {
      continue;
    }
    assert.equal(frontier.revision, before.revision + 1);
    assert.ok(frontier.position >= before.position);
    if (frontier.position > before.position) {
      assert.equal(before.state.phase, "running", "a decision became final while the run was not running");
    }
    if ("digest" in before.state) {
      assert.ok("digest" in frontier.state && frontier.state.digest === before.state.digest);
    }
  }
}

/** Once a pause or a cancel was answered, no decision becomes final before a resume. */
function assertAnswersKept({ world, answers }: ScheduleResult): void {
  for (const { control, moves } of answers) {
    if (control === "resume") {
      continue;
    }
    let fenced: Frontier | undefined;
    for (const frontier of world.history.slice(0, moves)) {
      fenced = frontier;
    }
    for (const frontier of world.history.slice(moves)) {
      if (fenced === undefined || frontier.run !== fenced.run) {
        break;
      }
      const { phase } = frontier.state;
      if (phase === "running" || phase === "submitted") {
        break;
      }
      assert.equal(frontier.position, fenced.position);
    }
  }
}

async function assertExternalCalls({ effects, history, calm }: ModelWorld): Promise<void> {
  const runs = history.at(-1)?.run ?? 1;
  const charges = new Map<string, number>();
  for (const { tool, idempotencyKey, intended } of effects) {
    assert.ok(intended?.intent !== undefined, "an external call started without its intent");
    const { list } = (await openRunView({ ...key, run: intended.run }, calm)).runPlan;
    assert.equal(intended.position, list.positionOf(intended.intent.ordinal), "not all before it was final");
    if (tool === "charge") {
      charges.set(idempotencyKey, (charges.get(idempotencyKey) ?? 0) + 1);
    }
  }
  for (const count of charges.values()) {
    assert.ok(count <= runs, `a call that is not idempotent was made ${count} times in ${runs} run(s)`);
  }
}

type Finals = ReadonlyMap<number, readonly DecisionRecord[]>;

/** Every run's decisions are those of a serial execution, each final once, and the digest is its chain's. */
async function assertSerialResult(world: ModelWorld): Promise<Finals> {
  const latest = await openRunView(key, world.calm);
  const content = world.calm.contentOf(key.tenant);
  const oracle = await serialOracle(latest.plan, { trees: world.trees, content });
  const finals = new Map<number, readonly DecisionRecord[]>();
  for (let run = 1; run <= latest.frontier.run; run += 1) {
    const { frontier, runPlan } = await openRunView({ ...key, run }, world.calm);
    const range = { ...key, run, from: 0, before: frontier.position, limit: 10_000 };
    const records = (await world.calm.steps.range(range)).flatMap(({ decisions }) => decisions);
    finals.set(run, records);
    const open = (await runPlan.source.range(0, runPlan.source.count)).filter(
      ({ ordinal }) => !oracle.landed.has(ordinal),
    );
    assert.equal(frontier.decisionCount, open.length, `decisions of run ${run}`);
    assert.equal(records.length, frontier.position);
    let chainHead = latest.run.run === run ? undefined : frontier.chainHead;
    oracle.furtherRun();
    for (const [position, record] of records.entries()) {
      const decision = open[position];
      assert.ok(decision !== undefined && decision.ordinal === record.ordinal, "plan order");
      const expected = await oracle.next(runPlan.corrected(decision), record);
      assertAsExpected(record, expected);
      chainHead = expected.chainHead;
    }
    if (chainHead !== undefined) {
      assert.equal(frontier.chainHead, chainHead, `chain head of run ${run}`);
    }
    assertEnd(frontier, records);
  }
  return finals;
}

function assertEnd(frontier: Frontier, records: readonly DecisionRecord[]): void {
  const { state, counts } = frontier;
  assert.ok("digest" in state);
  assert.equal(state.digest, frontier.chainHead);
  const statuses = records.map(({ outcome }) => outcome.status);
  assert.deepEqual(counts, {
    landed: statuses.filter((status) => status === "landed").length,
    failed: statuses.filter((status) => status === "failed").length,
    skipped: statuses.filter((status) => status === "skipped").length,
    toolCalls: records.reduce((sum, { calls }) => sum + calls.length, 0),
    entries: records.reduce((sum, { entries }) => sum + entries.length, 0),
  });
  if (state.phase === "completed") {
    assert.ok(statuses.every((status) => status === "landed"));
  }
  if (state.phase !== "cancelled") {
    assert.equal(records.length, frontier.decisionCount);
  }
}

/** Numbered from 1 over all runs, chained, one for every decision that became final, in the order in which they did. */
async function assertEvents(world: ModelWorld, finals: Finals): Promise<void> {
  const events: RunEvent[] = [];
  let cursor: string | undefined;
  for (let ended = false; !ended; ) {
    const page = await readEvents(key, { limit: 3, ...(cursor === undefined ? {} : { cursor }) }, world.calm);
    events.push(...page.events);
    ({ cursor, ended } = page);
  }
  assert.deepEqual(
    events.map(({ seq }) => seq),
    events.map((_, index) => index + 1),
  );
  const { plan } = await openRunView(key, world.calm);
  let head = ledgerGenesis(planId, plan.documentSha256);
  for (const { ledgerHead, ...event } of events) {
    head = ledgerHeadOf(head, event);
    assert.equal(ledgerHead, head, `ledger head at ${event.seq}`);
  }
  const decided = events.filter(({ decisionId }) => decisionId !== undefined);
  const records = [...finals].flatMap(([run, ofRun]) => ofRun.map((record) => ({ run, record })));
  assert.deepEqual(
    decided.map(({ run, decisionId, recordSha256 }) => [run, decisionId, recordSha256]),
    records.map(({ run, record }) => [run, record.decisionId, decisionRecordSha256(record)]),
  );
  for (const [run] of finals) {
    const types = events.filter((event) => event.run === run).map(({ type }) => type);
    assert.ok(types.filter((type) => type === "runtime_execute_started").length <= 1);
    const frontier = await world.calm.frontiers.read({ ...key, run });
    assert.ok(frontier !== undefined && "digest" in frontier.state);
    const last = events.find(({ seq }) => "digest" in frontier.state && seq === frontier.state.sealedSeq);
    const end =
      frontier.state.phase === "cancelled" ? "runtime_execute_cancelled" : "runtime_execute_complete";
    assert.equal(last?.type, end);
    const { digest, signature, sealedSeq } = frontier.state;
    assert.ok(isSigned({ planId, run, digest, seq: sealedSeq, ledgerHead: last.ledgerHead }, signature));
  }
}

/** What readers see is what became final. */
async function assertReads(world: ModelWorld): Promise<void> {
  const { frontier, runPlan } = await openRunView(key, world.calm);
  const page = await readDecisions(key, { fromOrdinal: 0, limit: 1_000 }, world.calm);
  assert.equal(page.decisions.length, runPlan.source.count);
  const landed = page.decisions.filter(({ record }) => record?.outcome.status === "landed");
  const entries = landed
    .toSorted((a, b) => a.run - b.run || a.decision.ordinal - b.decision.ordinal)
    .flatMap(({ record }) => record?.entries ?? []);
  const { run } = frontier;
  const read = [];
  let cursor: string | undefined;
  do {
    const part = await readEntries(
      { ...key, run },
      { limit: 2, ...(cursor === undefined ? {} : { cursor }) },
      world.calm,
    );
    read.push(...part.entries);
    cursor = part.cursor;
  } while (cursor !== undefined);
  assert.deepEqual(read, entries);

  const failures = await readFailures(frontier, world.calm);
  assert.equal(failures.failures.length, frontier.counts.failed + frontier.counts.skipped);
  assert.equal(failures.truncated, false);

  const { state } = await readRunState({ ...key, run }, world.calm);
  const final = new Map<string, string | undefined>();
  for (const { path, after } of entries) {
    final.set(path, after?.sha256);
  }
  const overlay = [...(state.overlay.get("app") ?? [])].map(([path, { file }]) => [path, file?.sha256]);
  assert.deepEqual(new Map(overlay as [string, string | undefined][]), final);
  for (const sha256 of final.values()) {
    if (sha256 !== undefined) {
      assertContent(await state.content.get(sha256), sha256, "content of the final state");
    }
  }
  for (const { decision, record, run: ofRun } of landed) {
    for (const { before, after } of record?.entries ?? []) {
      for (const { sha256 } of [before, after].filter((side) => side !== null)) {
        const where = { ...key, run: ofRun, ordinal: decision.ordinal };
        assertContent(await readEntryContent(where, sha256, world.calm), sha256, "content of an entry");
      }
    }
  }
}

function assertContent(bytes: Uint8Array | undefined, sha256: string, what: string): void {
  assert.equal(bytes && sha256Hex(bytes), sha256, what);
}
