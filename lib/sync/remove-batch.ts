import { afterWrite } from "./after-write.ts";
import { about, decideAgain, failedBy, resolvedBy, type SyncRun, type SyncWork } from "./sync-run.ts";
import type { SyncWrite } from "./sync-transport.ts";
import { takeBatch } from "./take-batch.ts";
import { untilProcessed } from "./until-processed.ts";

/** Carries out the next deletions, on the side where the item still stands. */
export async function removeBatch(run: SyncRun): Promise<void> {
  const remote: SyncWork[] = [];
  const works = takeBatch(run.queues.remove);
  for (const { key, decision } of works) {
    if (decision.kind === "delete_local") run.bases.intend(key, { kind: "removed" });
  }
  await run.bases.flush();
  for (const work of works) {
    try {
      if (work.decision.kind === "delete_local") await removeHere(run, work, work.decision);
      else if (await isStillGone(run, work)) remote.push(work);
    } catch (error) {
      failedBy(run, work, error);
    }
  }
  await removeThere(run, remote);
}

async function removeHere(
  run: SyncRun,
  work: SyncWork,
  { keepCopy }: { readonly keepCopy: boolean },
): Promise<void> {
  const outcome = await run.local.remove({
    ...work.key,
    expectedSha256: work.entry?.contentSha256 ?? "",
    keepCopy,
  });
  switch (outcome) {
    case "written":
      run.bases.settle(work.key, { kind: "absent" });
      run.ended({ ...about(work), did: "deleted_here", ...resolvedBy(work) });
      return;
    case "changed":
      decideAgain(run, work, { entry: (await run.local.load(work.key))?.entry, row: work.row });
      return;
    default:
      outcome satisfies never;
  }
}

/** It may have come back since the local items were read. */
async function isStillGone(run: SyncRun, work: SyncWork): Promise<boolean> {
  const found = await run.local.load(work.key);
  if (found === undefined) return true;
  decideAgain(run, work, { entry: found.entry, row: work.row });
  return false;
}

async function removeThere(run: SyncRun, works: readonly SyncWork[]): Promise<void> {
  const [first] = works;
  if (first === undefined) return;
  for (const { key } of works) run.bases.intend(key, { kind: "absent" });
  await run.bases.flush();
  const send = (batch: readonly SyncWork[]) => {
    run.tally.requested(first.key.kind, 1);
    return run.transport.write(
      batch.map(
        ({ key, row }): SyncWrite => ({ op: "delete", ...key, expectedRevision: row?.revision ?? 0 }),
      ),
    );
  };
  for (const [work, result] of await untilProcessed(works, send, run.resend)) {
    await afterWrite(run, { work, result }, () => {
      run.bases.settle(work.key, { kind: "absent" });
      run.ended({ ...about(work), did: "deleted_on_server", ...resolvedBy(work) });
    });
  }
}
