import { effectiveBase } from "./effective-base.ts";
import { localState, remoteState } from "./plan-sync.ts";
import { decideAgain, failed, type SyncRun, type SyncWork } from "./sync-run.ts";
import type { SyncRow, SyncWriteResult } from "./sync-transport.ts";

/** What became of a write on the server: `stands` when the server holds what was sent, by whomever it was written. */
export async function afterWrite(
  run: SyncRun,
  { work, result }: { readonly work: SyncWork; readonly result: SyncWriteResult },
  stands: (row: SyncRow) => void | Promise<void>,
): Promise<void> {
  switch (result.status) {
    case "written":
    case "unchanged":
      if (result.status === "written") run.tally.wrote(work.key.kind);
      await stands(result.row);
      return;
    case "conflict":
      withdrawIntents(run, work, result.found);
      decideAgain(run, work, { entry: work.entry, row: result.found });
      return;
    case "refused":
      withdrawIntents(run, work, work.row);
      failed(run, work, { reason: result.message, code: result.code, field: result.field });
      return;
    case "unprocessed":
      failed(run, work, {
        reason: "the service is busy and did not take it; sync again",
        code: "unavailable",
      });
      return;
    default:
      result satisfies never;
  }
}

/** The write did not happen, and will not: what the server holds instead tells whether an earlier one did. */
function withdrawIntents(run: SyncRun, { key, entry }: SyncWork, row: SyncRow | undefined): void {
  const sides = { local: localState(entry), remote: remoteState(row) };
  run.bases.settle(key, effectiveBase(run.bases.of(key), sides));
}
