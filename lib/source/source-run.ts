import * as z from "zod/mini";
import { resourceKinds } from "../resource/resource-store.ts";
import type { SyncProblem, SyncSummary } from "../sync/sync-summary.ts";

const epochMs = z.int().check(z.minimum(0));
const count = z.int().check(z.minimum(0));

const syncProblem = z.object({
  kind: z.optional(z.enum(resourceKinds)),
  item: z.string(),
  reason: z.string(),
  code: z.optional(z.string()),
  field: z.optional(z.string()),
});

/** A `SyncSummary` with its first conflicts and errors. */
export const runSummary = z.object({
  created: count,
  updated: count,
  skipped: count,
  pulled: count,
  deleted: count,
  conflicts: z.array(syncProblem),
  errors: z.array(syncProblem),
  /** How many there were, those that are not listed included. */
  conflictCount: count,
  errorCount: count,
  requests: count,
  writes: count,
  dryRun: z.boolean(),
  totalProcessed: count,
});
export type RunSummary = z.infer<typeof runSummary>;

const shared = { run: z.int().check(z.minimum(1)), startedAtEpochMs: epochMs, endedAtEpochMs: epochMs };
const problem = z.object({ code: z.string(), message: z.string(), field: z.optional(z.string()) });

/**
 * How a run of a source ended. `completed`: it went through, whatever its summary says; `unchanged` when the catalogue was as
 * the last run left it. `unfinished`: its time was over, and the next one goes on. `failed`: it could not go on. `stopped`: the
 * source was changed under it. `killed`: nobody said how it ended, its lease ran out.
 */
export const sourceRun = z.discriminatedUnion("outcome", [
  z.object({ ...shared, outcome: z.literal("completed"), unchanged: z.boolean(), summary: runSummary }),
  z.object({ ...shared, outcome: z.literal("unfinished"), message: z.string(), summary: runSummary }),
  z.object({ ...shared, outcome: z.literal("failed"), problem, summary: runSummary }),
  z.object({ ...shared, outcome: z.literal("stopped"), message: z.string(), summary: runSummary }),
  z.object({ ...shared, outcome: z.literal("killed"), message: z.string() }),
]);
export type SourceRun = z.infer<typeof sourceRun>;

const listed = 20;
const keptChars = 500;

/** The summary as it is kept: every text of the other side's bounded, and without what `redact` takes out. */
export function keptSummary(summary: SyncSummary, redact: (text: string) => string): RunSummary {
  const { conflicts, errors, ...counts } = summary.toJSON();
  const text = (given: string) => redact(given).slice(0, keptChars);
  const kept = (problems: readonly SyncProblem[]) =>
    problems.slice(0, listed).map(({ item, reason, field, ...rest }) => ({
      ...rest,
      item: text(item),
      reason: text(reason),
      ...(field === undefined ? {} : { field: text(field) }),
    }));
  return {
    ...counts,
    conflicts: kept(conflicts),
    errors: kept(errors),
    conflictCount: conflicts.length,
    errorCount: errors.length,
  };
}
