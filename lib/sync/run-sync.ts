import { PlanledgerError } from "../errors/planledger-error.ts";
import type { ResourceKind } from "../resource/resource-store.ts";
import { type BufferedBases, bufferedBases } from "./buffered-bases.ts";
import type { SyncRules } from "./decide-sync.ts";
import type { LocalItems } from "./local-items.ts";
import { planSync, type SyncPlan, type SyncStep } from "./plan-sync.ts";
import { pullBatch } from "./pull-batch.ts";
import { pushBatch } from "./push-batch.ts";
import { rehearse } from "./rehearse.ts";
import { removeBatch } from "./remove-batch.ts";
import { renameHints } from "./rename-hints.ts";
import type { SyncBaseStore } from "./sync-base-store.ts";
import type { SyncContent } from "./sync-content.ts";
import type { SyncOutcome } from "./sync-outcome.ts";
import type { SyncResult } from "./sync-result.ts";
import { enqueue, failedBy, type SyncRun, skipped } from "./sync-run.ts";
import { type SyncTally, syncTally } from "./sync-tally.ts";
import type { SyncRow, SyncTransport } from "./sync-transport.ts";
import { takeBatch } from "./take-batch.ts";
import type { ResendPorts } from "./until-processed.ts";

export interface SyncPorts extends ResendPorts {
  readonly transport: SyncTransport;
  readonly local: LocalItems;
  readonly bases: SyncBaseStore;
  /** Ids that other services gave to these items, where they are synced with several: they stay in the items. */
  readonly otherServerIds?: (() => Promise<ReadonlySet<string>>) | undefined;
  readonly content: SyncContent;
}

/** `listing` counts rows of the server; `syncing` counts items dealt with, `total` of them. */
export type SyncProgress =
  | { readonly phase: "listing"; readonly done: number }
  | { readonly phase: "syncing"; readonly done: number; readonly total: number };

export interface SyncOrder extends SyncRules {
  readonly kinds: readonly ResourceKind[];
  /** Decides and counts, and changes nothing anywhere. */
  readonly dryRun: boolean;
  /** More deletions than this, on both sides together, and the run stops before it changes anything. */
  readonly maxDelete?: number | undefined;
  readonly onProgress?: ((progress: SyncProgress) => void) | undefined;
  readonly onOutcome?: ((outcome: SyncOutcome) => void) | undefined;
  readonly signal?: AbortSignal | undefined;
}

/**
 * One sync: finds out what both sides hold, decides item by item, and carries it out in batches: writes on the server first,
 * then pulls, then deletions. It holds an index of the items, and the documents of one batch. It may be killed anywhere; the
 * next run goes on (F26). A failure of the service, or of the disk as a whole, is thrown; what was done by then stays done.
 */
export async function runSync(ports: SyncPorts, order: SyncOrder): Promise<SyncResult> {
  const tally = syncTally(order.kinds);
  const rows = await listServer(ports.transport, order, tally);
  const { entries, faults } = await ports.local.read(order.kinds);
  const bases = await bufferedBases(ports.bases);
  const plan = planSync(
    { kinds: order.kinds, rows, entries, faults, baseOf: bases.of, baseKeys: bases.keys },
    order,
  );
  checkDeletions(plan, order.maxDelete);
  const hints = await renameHints(plan.steps, ports.local);

  const total = plan.faults.length + plan.steps.filter(({ decision }) => decision.kind !== "none").length;
  const progress = () => order.onProgress?.({ phase: "syncing", done: tally.done, total });
  const ended = (outcome: SyncOutcome) => {
    tally.ended(outcome);
    order.onOutcome?.(outcome);
    progress();
  };
  for (const fault of plan.faults) {
    tally.fault(fault);
    progress();
  }
  if (order.dryRun) {
    for (const step of plan.steps) {
      order.signal?.throwIfAborted();
      await rehearse(step, { local: ports.local, ended });
    }
  } else {
    const otherServerIds = (await ports.otherServerIds?.()) ?? new Set();
    await carryOut(plan.steps, runOf(ports, { order, bases, otherServerIds, tally, ended }));
  }
  return { ...tally.result(order.dryRun), hints };
}

async function listServer(
  transport: SyncTransport,
  { kinds, onProgress, signal }: SyncOrder,
  tally: SyncTally,
): Promise<readonly SyncRow[]> {
  const rows: SyncRow[] = [];
  const wanted = new Set(kinds);
  let cursor: string | undefined;
  do {
    signal?.throwIfAborted();
    const page = await transport.list({ kinds, ...(cursor === undefined ? {} : { cursor }) });
    tally.requested(undefined, 1);
    for (const row of page.rows) if (wanted.has(row.kind)) rows.push(row);
    onProgress?.({ phase: "listing", done: rows.length });
    cursor = page.cursor === cursor ? undefined : page.cursor;
  } while (cursor !== undefined);
  return rows;
}

function checkDeletions({ steps }: SyncPlan, maxDelete: number | undefined): void {
  const deletions = steps.filter(
    ({ decision: { kind } }) => kind === "delete_local" || kind === "delete_remote",
  );
  if (maxDelete === undefined || deletions.length <= maxDelete) return;
  const listed = deletions.slice(0, 10).map(({ key }) => `${key.kind} ${key.id}`);
  const more = deletions.length > listed.length ? ` and ${deletions.length - listed.length} more` : "";
  throw new PlanledgerError({
    code: "too_many_deletions",
    message: `The sync would delete ${deletions.length} items, and no more than ${maxDelete} are allowed: ${listed.join(", ")}${more}. Nothing was changed. Raise the limit if that is right.`,
    details: { limit: maxDelete, found: deletions.length, items: listed },
  });
}

function runOf(
  ports: SyncPorts,
  parts: {
    readonly order: SyncOrder;
    readonly bases: BufferedBases;
    readonly otherServerIds: ReadonlySet<string>;
    readonly tally: SyncTally;
    readonly ended: (outcome: SyncOutcome) => void;
  },
): SyncRun {
  const { order, ...shared } = parts;
  const { transport, local, content, delay, random } = ports;
  return {
    ...{ transport, local, content, ...shared, rules: order },
    resend: { delay, random, signal: order.signal },
    queues: { push: [], pull: [], remove: [], note: [] },
  };
}

async function carryOut(steps: readonly SyncStep[], run: SyncRun): Promise<void> {
  const { queues, bases, resend } = run;
  try {
    for (const step of steps) enqueue(run, { ...step, planned: step.decision.kind, round: 1 });
    for (;;) {
      resend.signal?.throwIfAborted();
      if (queues.note.length > 0) await noteBatch(run);
      else if (queues.push.length > 0) await pushBatch(run);
      else if (queues.pull.length > 0) await pullBatch(run);
      else if (queues.remove.length > 0) await removeBatch(run);
      else break;
    }
  } catch (error) {
    // What was agreed on by now is worth keeping; the failure that ended the run is what the caller must see.
    await bases.flush().catch(() => undefined);
    throw error;
  }
  await bases.flush();
}

async function noteBatch(run: SyncRun): Promise<void> {
  for (const work of takeBatch(run.queues.note)) {
    try {
      const { row, decision } = work;
      if (row !== undefined) await run.local.writeServerId({ ...work.key, serverId: row.serverId });
      if (decision.kind === "skip") skipped(run, work, decision.reason);
    } catch (error) {
      failedBy(run, work, error);
    }
  }
}
