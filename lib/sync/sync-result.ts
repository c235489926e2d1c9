import type { ResourceKind } from "../resource/resource-store.ts";
import { type SyncProblem, SyncSummary } from "./sync-summary.ts";

/**
 * What a sync of several kinds came to. `byKind` has the kinds of the scope and no others; what they share, such as the
 * listing, is counted in `total` only.
 */
export interface SyncResult {
  readonly total: SyncSummary;
  readonly byKind: Readonly<Partial<Record<ResourceKind, SyncSummary>>>;
  /** What may not be meant: new items with the content of others that are gone here. */
  readonly hints: readonly SyncProblem[];
}

/** One JSON document: the total's members, `hints` where there are any, and `kinds`. */
export const syncResultJson = ({ total, byKind, hints }: SyncResult) => ({
  ...total.toJSON(),
  ...(hints.length === 0 ? {} : { hints }),
  kinds: byKind,
});

/** The sum of the kinds, in their order, and of the requests that belong to none of them. */
export function syncResult(
  byKind: ReadonlyMap<ResourceKind, SyncSummary>,
  shared: { readonly requests: number; readonly dryRun: boolean },
): SyncResult {
  const summaries = [...byKind.values()];
  const sum = (of: (summary: SyncSummary) => number) =>
    summaries.reduce((total, summary) => total + of(summary), 0);
  return {
    hints: [],
    byKind: Object.fromEntries(byKind),
    total: new SyncSummary({
      created: sum(({ created }) => created),
      updated: sum(({ updated }) => updated),
      skipped: sum(({ skipped }) => skipped),
      pulled: sum(({ pulled }) => pulled),
      deleted: sum(({ deleted }) => deleted),
      conflicts: summaries.flatMap(({ conflicts }) => conflicts),
      errors: summaries.flatMap(({ errors }) => errors),
      requests: shared.requests + sum(({ requests }) => requests),
      writes: sum(({ writes }) => writes),
      dryRun: shared.dryRun,
    }),
  };
}
