import { accessGuards } from "./access-guard-list.ts";
import { applyGuards } from "./apply-guard-list.ts";
import { commandGuards } from "./command-guard-list.ts";
import { contentGuards } from "./content-guard-list.ts";
import { eventGuards } from "./event-guard-list.ts";
import { logGuards } from "./log-guard-list.ts";
import { outsideGuards } from "./outside-guard-list.ts";
import { scheduleGuards } from "./schedule-guard-list.ts";
import { syncFileGuards } from "./sync-file-guard-list.ts";
import { syncGuards } from "./sync-guard-list.ts";
import { syncServiceGuards } from "./sync-service-guard-list.ts";

/** A guard of the code, how to take it out, and a test that must fail without it. */
export interface Guard {
  readonly name: string;
  readonly file: string;
  /** Stands exactly once in the file. */
  readonly find: string;
  readonly replace: string;
  /** A test file, and a pattern of test names where one test will do. */
  readonly test: string;
  readonly testName?: string;
}

const storm = {
  test: "lib/run/run-model.test.ts",
  testName: "one serial result",
} as const;
const control = {
  test: "lib/run/run-model.test.ts",
  testName: "pauses, cancels and resumes",
} as const;
const engine = { test: "lib/run/advance-run.test.ts" } as const;
const ledger = { test: "lib/ledger/verify-ledger.test.ts" } as const;

export const guards: readonly Guard[] = [
  {
    name: "a move of the frontier is conditional on its revision",
    file: "lib/run/memory-frontier-store.ts",
    find: "if (frontiers.get(name(next))?.revision !== next.revision - 1) {",
    replace: "if (!frontiers.has(name(next))) {",
    ...storm,
  },
  {
    name: "a step is written once",
    file: "lib/run/memory-step-item-store.ts",
    find: "if (standing?.from === item.from && standing.epoch === item.epoch) {",
    replace: "if (standing === item) {",
    ...storm,
  },
  {
    name: "a step that stands is adopted instead of the worker's own",
    file: "lib/run/item-step-store.ts",
    find: "step: ours ? step : await unpack(key.tenant, standing),",
    replace: "step,",
    ...storm,
  },
  {
    name: "after an adopted step the state is loaded again",
    file: "lib/run/run-worker.ts",
    find: "if (committed.adopted) {",
    replace: "if (committed.adopted && frontier.position < 0) {",
    ...storm,
  },
  {
    name: "a redelivery goes on from the frontier's position",
    file: "lib/run/step-builder.ts",
    find: "position: start.position + decisions.length,",
    replace: "position: decisions.length,",
    ...engine,
  },
  {
    name: "a control event raises the epoch, so that steps from before it are not adopted",
    file: "lib/run/frontier-move.ts",
    find: "epoch: frontier.epoch + 1,",
    replace: "epoch: frontier.epoch,",
    ...control,
  },
  {
    name: "steps of older epochs beyond the frontier are ignored",
    file: "lib/run/memory-step-item-store.ts",
    find: "const superseded = items[index + 1]?.from === item.from;",
    replace: "const superseded = items[index - 1]?.from === item.from;",
    test: "lib/run/memory-run-stores.test.ts",
  },
  {
    name: "control events are taken into the next step",
    file: "lib/run/step-builder.ts",
    find: "const events: RunEvent[] = [...start.controlEvents];",
    replace: "const events: RunEvent[] = [];",
    ...engine,
  },
  {
    name: "nothing becomes final in a pause: a move that lost is not repeated on another phase or epoch",
    file: "lib/run/commit-step.ts",
    find: 'fresh.state.phase !== "running" ||\n    fresh.position !== known.position ||\n    fresh.epoch !== known.epoch',
    replace: "fresh.position !== known.position",
    ...engine,
  },
  {
    name: "an external call starts only after its intent was recorded",
    file: "lib/run/external-gate.ts",
    find: "if (!mayCall) {",
    replace: "if (!mayCall && call.callOrdinal < 0) {",
    ...storm,
  },
  {
    name: "the look at an intent and the move that records one are one turn",
    file: "lib/run/run-worker.ts",
    find: "recordIntent: (decide) => turns(() => moveToIntent(decide)),",
    replace:
      "recordIntent: async (decide) => { const intent = decide(frontier); return turns(() => moveToIntent(() => intent)); },",
    test: "lib/run/external-gate.test.ts",
  },
  {
    name: "an intent without a result keeps others from calling until its deadline",
    file: "lib/run/external-gate.ts",
    find: "if (ports.clock.now() <= intent.deadlineEpochMs) {",
    replace: "if (intent.deadlineEpochMs < 0) {",
    test: "lib/run/external-gate.test.ts",
  },
  {
    name: "a call whose outcome is unknown is repeated only for idempotent tools",
    file: "lib/run/external-gate.ts",
    find: "if (!call.idempotent) {",
    replace: "if (call.callOrdinal < 0) {",
    test: "lib/run/external-gate.test.ts",
  },
  {
    name: "a recorded result is used instead of another call",
    file: "lib/run/external-gate.ts",
    find: "if (result !== undefined) {",
    replace: "if (result === null) {",
    test: "lib/run/external-gate.test.ts",
  },
  {
    name: "the first result of an external call stands",
    file: "lib/run/memory-external-result-store.ts",
    find: "const standing = results.get(name(key)) ?? structuredClone(result);",
    replace: "const standing = structuredClone(result);",
    test: "lib/run/memory-run-stores.test.ts",
  },
  {
    name: "everything before an external call is final when it starts",
    file: "lib/run/run-worker.ts",
    find: "if (external) {\n      await turns(flush);",
    replace: "if (external) {",
    test: "lib/run/external-gate.test.ts",
  },
  {
    name: "a cancel waits for the external call under way",
    file: "lib/run/settle-cancel.ts",
    find: "if (intent === undefined || ports.clock.now() > intent.deadlineEpochMs) {",
    replace: "if (intent === undefined || intent.deadlineEpochMs > 0) {",
    test: "lib/run/external-gate.test.ts",
  },
  {
    name: "what succeeded outside is carried over to a further run",
    file: "lib/run/external-gate.ts",
    find: 'before?.idempotencyKey === callKey && before.outcome.status === "succeeded"',
    replace: 'before?.idempotencyKey === callKey && before.outcome.status !== "succeeded"',
    test: "lib/run/external-gate.test.ts",
  },
  {
    name: "a dead letter fails a decision only where a worker began",
    file: "lib/run/dead-letter.ts",
    find: "frontier.suspect?.position === frontier.position &&",
    replace: "",
    ...engine,
  },
  {
    name: "an outage is no sign of a poisonous decision",
    file: "lib/run/advance-run.ts",
    find: "await forgive(opening, watch, ports);",
    replace: "",
    ...engine,
  },
  {
    name: "to find a call under way is no start at its decision",
    file: "lib/run/advance-run.ts",
    find: "if (call !== undefined) return watchCall(opening, call.untilEpochMs, ports);",
    replace: "",
    test: "lib/run/external-gate.test.ts",
  },
  {
    name: "the watch over a worker goes on after a call that may be under way",
    file: "lib/run/advance-run.ts",
    find: "await ports.hints.send({ ...hintOf(frontier), watch }, { delaySeconds });",
    replace: "await ports.hints.send(hintOf(frontier), { delaySeconds });",
    test: "lib/run/external-gate.test.ts",
  },
  {
    name: "of a watch hint and its successor one is enough in an outage",
    file: "lib/run/advance-run.ts",
    find: 'return { kind: "outage" };',
    replace: "throw error;",
    test: "lib/run/outage.test.ts",
  },
  {
    name: "a worker that runs out of time sends a hint",
    file: "lib/run/advance-run.ts",
    find: "await ports.hints.send(hintOf(left));",
    replace: "",
    ...engine,
  },
  {
    name: "a worker keeps a delayed hint in flight",
    file: "lib/run/advance-run.ts",
    find: "sendWatch(opening, { worker: watch, seen }, ports.hints),",
    replace: "",
    ...engine,
  },
  {
    name: "everything behind a skipped decision is skipped too",
    file: "lib/run/live-run-state.ts",
    find: 'if (record.outcome.status !== "landed") {',
    replace: 'if (record.outcome.status === "failed") {',
    ...engine,
  },
  {
    name: "a failed decision leaves nothing in the workspace",
    file: "lib/runtime/execute-decision.ts",
    find: "await restore(execution.start);\n    execution.entries.length = 0;",
    replace: "execution.entries.length = 0;",
    ...storm,
  },
  {
    name: "ledger: a line counts only in its canonical form",
    file: "lib/ledger/parse-ledger.ts",
    find: "if (canonicalForm(parsed.data) !== text) {",
    replace: "if (canonicalForm(parsed.data) === undefined) {",
    ...ledger,
    testName: "in another spelling",
  },
  {
    name: "ledger: what an event covers must have the hash that it names",
    file: "lib/ledger/check-record.ts",
    find: "canonicalSha256(record) !== recordSha256",
    replace: "canonicalSha256(record).length !== 64",
    ...ledger,
    testName: "every byte of a ledger",
  },
  {
    name: "ledger: an event continues the chain",
    file: "lib/ledger/check-record.ts",
    find: "  if (!isChained(point, event)) {",
    replace: "  if (event.seq < 0) {",
    ...ledger,
    testName: "every byte of a ledger",
  },
  {
    name: "ledger: a signature must be of the key given",
    file: "lib/run/signature-verifier.ts",
    find: 'return genuine ? "mislabelled" : "other_key";',
    replace: 'return "valid";',
    ...ledger,
    testName: "with another key",
  },
  {
    name: "ledger: base64 has one spelling",
    file: "lib/run/signature-verifier.ts",
    find: 'value.toString("base64") === signature.value && ',
    replace: "",
    ...ledger,
    testName: "another spelling of its base64",
  },
  {
    name: "ledger: a sealed digest is that of the changes",
    file: "lib/ledger/check-signed-head.ts",
    find: "if (digest !== point.replay.chainHead) {",
    replace: "if (digest.length !== 64) {",
    ...ledger,
    testName: "do not come to",
  },
  {
    name: "ledger: a run goes on from the digest of before",
    file: "lib/ledger/changeset-replay.ts",
    find: "return chainHead === replay.chainHead",
    replace: "return chainHead.length === 64",
    ...ledger,
    testName: "do not come to",
  },
  {
    name: "ledger: every record behind a seal has its signed head",
    file: "lib/ledger/check-record.ts",
    find: 'event.run === point.sealedRun ? "head" : undefined',
    replace: "undefined",
    ...ledger,
    testName: "taken out",
  },
  {
    name: "ledger: a file ends with its end line",
    file: "lib/ledger/verify-ledger.ts",
    find: "if (!point.ended) {",
    replace: "if (lastSeq < 0) {",
    ...ledger,
    testName: "cut off",
  },
  {
    name: "ledger: the last record is under a signed head",
    file: "lib/ledger/verify-ledger.ts",
    find: "if (signed === undefined || signed.seq < lastSeq) {",
    replace: "if (signed === undefined) {",
    ...ledger,
    testName: "no signed head covers",
  },
  {
    name: "ledger: the head reached is the one expected",
    file: "lib/ledger/verify-ledger.ts",
    find: "if (expectedHead !== undefined && expectedHead !== signed.ledgerHead) {",
    replace: 'if (expectedHead === "") {',
    ...ledger,
    testName: "an older export",
  },
  ...accessGuards,
  ...applyGuards,
  ...eventGuards,
  ...logGuards,
  ...outsideGuards,
  ...scheduleGuards,
  ...syncGuards,
  ...syncFileGuards,
  ...commandGuards,
  ...contentGuards,
  ...syncServiceGuards,
];
