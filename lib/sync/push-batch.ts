import { afterWrite } from "./after-write.ts";
import { checkItemSize } from "./check-item-size.ts";
import type { SyncItem } from "./sync-item.ts";
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
import type { SyncRow, SyncWrite } from "./sync-transport.ts";
import { takeBatch } from "./take-batch.ts";
import { untilProcessed } from "./until-processed.ts";

/** Bytes of items that are held at once, well below what a request may have. */
const heldBytes = 2 * 1024 * 1024;

interface Loaded {
  readonly work: SyncWork;
  readonly item: SyncItem;
  readonly expectedRevision: number;
}

/** Writes the next items on the server, and the ids that it gave them into the local items. */
export async function pushBatch(run: SyncRun): Promise<void> {
  const loaded = await loadBatch(run);
  if (loaded.length === 0) return;
  for (const { work, item } of loaded) {
    const { version } = item;
    const contentSha256 = work.entry?.contentSha256 ?? "";
    run.bases.intend(work.key, { kind: "content", version, contentSha256 });
  }
  // Before the request: should its answer be lost, the next run knows what was on its way.
  await run.bases.flush();
  const send = (batch: readonly Loaded[]) => {
    for (const { work } of batch.slice(0, 1)) run.tally.requested(work.key.kind, 1);
    return run.transport.write(
      batch.map(({ work, item, expectedRevision }): SyncWrite => {
        return { op: "put", kind: work.key.kind, item, expectedRevision };
      }),
    );
  };
  for (const [{ work }, result] of await untilProcessed(loaded, send, run.resend)) {
    await afterWrite(run, { work, result }, (row) => standsThere(run, work, row));
  }
}

async function loadBatch(run: SyncRun): Promise<readonly Loaded[]> {
  const loaded: Loaded[] = [];
  const taken = takeBatch(run.queues.push);
  let bytes = 0;
  while (bytes < heldBytes) {
    const work = taken.shift();
    if (work === undefined) break;
    const { decision } = work;
    if (decision.kind !== "create" && decision.kind !== "update") continue;
    try {
      const found = await run.local.load(work.key);
      if (found === undefined || found.entry.contentSha256 !== work.entry?.contentSha256) {
        decideAgain(run, work, { entry: found?.entry, row: work.row });
        continue;
      }
      const sizeBytes = checkItemSize(found.item);
      const sent = await run.content.send(work.key.kind, found.item);
      run.tally.requested(work.key.kind, sent.requests);
      loaded.push({ work, item: found.item, expectedRevision: decision.expectedRevision });
      bytes += sizeBytes;
    } catch (error) {
      failedBy(run, work, error);
    }
  }
  run.queues.push.unshift(...taken);
  return loaded;
}

async function standsThere(run: SyncRun, work: SyncWork, row: SyncRow): Promise<void> {
  if (row.contentSha256 !== work.entry?.contentSha256) {
    const reason = `the service comes to another content hash (${row.contentSha256}) than this client (${work.entry?.contentSha256}); are they of different versions?`;
    failed(run, work, { reason, code: "content_mismatch" });
    return;
  }
  const serverId = serverIdHere(run, work, row);
  settleOn(run, work, row);
  try {
    if (work.entry.serverId !== serverId) await run.local.writeServerId({ ...work.key, serverId });
  } catch (error) {
    failedBy(run, work, error);
    return;
  }
  const did = work.decision.kind === "create" ? "created" : "updated";
  run.ended({ ...about(work), did, ...resolvedBy(work) });
}
