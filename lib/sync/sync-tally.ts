import type { ResourceKind } from "../resource/resource-store.ts";
import type { LocalFault } from "./local-items.ts";
import type { SyncOutcome } from "./sync-outcome.ts";
import { type SyncResult, syncResult } from "./sync-result.ts";
import { type SyncCounts, type SyncProblem, SyncSummary } from "./sync-summary.ts";

type Counts = { -readonly [Count in keyof SyncCounts]: SyncCounts[Count] };
interface KindTally {
  readonly counts: Counts;
  readonly conflicts: SyncProblem[];
  readonly errors: SyncProblem[];
}

/** Counts what a run does as it does it. */
export interface SyncTally {
  /** Of one kind, or of all together. */
  requested(kind: ResourceKind | undefined, requests: number): void;
  wrote(kind: ResourceKind): void;
  ended(outcome: SyncOutcome): void;
  fault(fault: LocalFault): void;
  /** Items that have been dealt with. */
  readonly done: number;
  result(dryRun: boolean): SyncResult;
}

export function syncTally(kinds: readonly ResourceKind[]): SyncTally {
  const byKind = new Map(kinds.map((kind) => [kind, emptyTally()]));
  let shared = 0;
  let done = 0;
  const of = (kind: ResourceKind): KindTally => {
    const tally = byKind.get(kind) ?? emptyTally();
    byKind.set(kind, tally);
    return tally;
  };
  return {
    get done() {
      return done;
    },
    requested(kind, requests) {
      if (kind === undefined) shared += requests;
      else of(kind).counts.requests += requests;
    },
    wrote(kind) {
      of(kind).counts.writes += 1;
    },
    ended(outcome) {
      done += 1;
      count(of(outcome.kind), outcome);
    },
    fault({ kind, item, reason, field }) {
      done += 1;
      of(kind).errors.push({ kind, item, reason, ...(field === undefined ? {} : { field }) });
    },
    result(dryRun) {
      const summaries = [...byKind].map(([kind, { counts, conflicts, errors }]) => {
        const summary = new SyncSummary({ ...counts, conflicts, errors, dryRun });
        return [kind, summary] as const;
      });
      return syncResult(new Map(summaries), { requests: shared, dryRun });
    },
  };
}

const emptyTally = (): KindTally => ({
  counts: { created: 0, updated: 0, skipped: 0, pulled: 0, deleted: 0, requests: 0, writes: 0 },
  conflicts: [],
  errors: [],
});

function count({ counts, conflicts, errors }: KindTally, outcome: SyncOutcome): void {
  const { kind, id: item } = outcome;
  switch (outcome.did) {
    case "created":
    case "updated":
    case "pulled":
    case "skipped":
      counts[outcome.did] += 1;
      return;
    case "deleted_on_server":
    case "deleted_here":
      counts.deleted += 1;
      return;
    case "conflict":
      conflicts.push({ kind, item, reason: outcome.reason });
      return;
    case "error": {
      const { reason, code, field } = outcome;
      errors.push({
        kind,
        item,
        reason,
        ...(code === undefined ? {} : { code }),
        ...(field === undefined ? {} : { field }),
      });
      return;
    }
    default:
      outcome satisfies never;
  }
}
