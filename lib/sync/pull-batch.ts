import { itemContentSha256 } from "./item-content.ts";
import { parseSyncItem, type SyncItem } from "./sync-item.ts";
import {
  about,
  decideAgain,
  failed,
  failedBy,
  resolvedBy,
  type SyncRun,
  type SyncWork,
  serverIdHere,
  settleOn,
} from "./sync-run.ts";
import type { SyncReadResult, SyncRow } from "./sync-transport.ts";
import { takeBatch } from "./take-batch.ts";
import { untilProcessed } from "./until-processed.ts";

/** Reads the next items of the server and writes them into the local ones. */
export async function pullBatch(run: SyncRun): Promise<void> {
  const batch = takeBatch(run.queues.pull);
  const read = (works: readonly SyncWork[]) => {
    for (const { key } of works.slice(0, 1)) run.tally.requested(key.kind, 1);
    return run.transport.read(works.map(({ key }) => key));
  };
  const answered = await untilProcessed(batch, read, run.resend);
  for (const [{ key, row }, result] of answered) {
    if (result.status !== "found" || result.row.contentSha256 !== row?.contentSha256) continue;
    const { serverId, version, contentSha256 } = result.row;
    run.bases.intend(key, { kind: "pulled", serverId, version, contentSha256 });
  }
  // Before anything is written here: should this process die, the next run knows where it came from.
  await run.bases.flush();
  for (const [work, result] of answered) await afterRead(run, work, result);
  await run.bases.flush();
}

async function afterRead(run: SyncRun, work: SyncWork, result: SyncReadResult): Promise<void> {
  switch (result.status) {
    case "found":
      if (result.row.contentSha256 === work.row?.contentSha256) await writeHere(run, work, result);
      else decideAgain(run, work, { entry: work.entry, row: result.row });
      return;
    case "gone":
      decideAgain(run, work, { entry: work.entry, row: result.row });
      return;
    case "refused":
      failed(run, work, { reason: result.message, code: result.code });
      return;
    case "unprocessed":
      failed(run, work, {
        reason: "the service is busy and did not give it; sync again",
        code: "unavailable",
      });
      return;
    default:
      result satisfies never;
  }
}

async function writeHere(
  run: SyncRun,
  work: SyncWork,
  { row, item }: { readonly row: SyncRow; readonly item: SyncItem },
): Promise<void> {
  const checked = parseSyncItem(item);
  if (
    checked.kind === "invalid" ||
    checked.item.id !== work.key.id ||
    itemContentSha256(checked.item) !== row.contentSha256
  ) {
    const why = checked.kind === "invalid" ? checked.reason : "id and content do not fit the hash";
    const reason = `what the service gave is not this item (${why}); nothing was written`;
    failed(run, work, { reason, code: "content_mismatch" });
    return;
  }
  try {
    const outcome = await run.local.write({
      kind: work.key.kind,
      item: checked.item,
      serverId: serverIdHere(run, work, row),
      expectedSha256: work.entry?.contentSha256,
      keepCopy: work.decision.kind === "pull" && work.decision.keepCopy,
    });
    switch (outcome) {
      case "written":
        settleOn(run, work, row);
        run.ended({ ...about(work), did: "pulled", ...resolvedBy(work) });
        return;
      case "changed":
        decideAgain(run, work, { entry: (await run.local.load(work.key))?.entry, row });
        return;
      default:
        outcome satisfies never;
    }
  } catch (error) {
    failedBy(run, work, error);
  }
}
