import type { Frontier } from "./frontier.ts";
import type { RunRecord } from "./run-record.ts";

const hex = (digit: string): string => digit.repeat(64);
let plans = 0;

/** A run of a plan that no other test uses. */
export function newRunRecord(change: Partial<RunRecord> = {}): RunRecord {
  plans += 1;
  return {
    v: 1,
    tenant: "acme",
    planId: `run-contract-${plans}`,
    run: 1,
    changesetId: `01K${String(plans).padStart(23, "0")}`,
    requestedBy: "user:ada",
    requestedAtEpochMs: 1_790_000_000_000,
    list: { kind: "all" },
    decisionCount: 1_000,
    startsFrom: { chainHead: hex("a"), ledgerHead: hex("b"), lastSeq: 0 },
    ...change,
  };
}

/** A frontier with every field that it can have while it is open. */
export function fullFrontier(frontier: Frontier): Frontier {
  return {
    ...frontier,
    revision: frontier.revision + 1,
    epoch: 3,
    state: { phase: "cancelling", by: "user:eve", reason: "näh \u0000" },
    position: 64,
    counts: { landed: 60, failed: 3, skipped: 1, toolCalls: 130, entries: 200 },
    lastSeq: 67,
    controlEvents: [
      {
        seq: 67,
        type: "runtime_execute_paused",
        run: frontier.run,
        atEpochMs: 1_790_000_000_500,
        by: "user:eve",
        reason: "wait",
        ledgerHead: hex("c"),
      },
    ],
    checkpoint: { sha256: hex("d"), position: 32 },
    intent: {
      ordinal: 64,
      callOrdinal: 2,
      tool: "notify",
      inputSha256: hex("e"),
      idempotencyKey: hex("f"),
      deadlineEpochMs: 1_790_000_060_000,
    },
    suspect: { position: 64, starts: 2 },
    watch: 17,
    failureSteps: [0, 32],
    outbox: {
      told: 4,
      changes: [
        {
          sequence: 4,
          phase: "paused",
          atEpochMs: 1_790_000_000_400,
          position: 32,
          landed: 30,
          failed: 1,
          skipped: 1,
        },
      ],
    },
    startedAtEpochMs: 1_790_000_000_100,
    movedAtEpochMs: 1_790_000_000_600,
  };
}
