import { NotFoundError } from "../errors/planledger-error.ts";
import { itemContentSha256 } from "./item-content.ts";
import type { PlanStatus, PlanTransport } from "./plan-transport.ts";
import { parseSyncItem, type SyncItem } from "./sync-item.ts";
import { syncKeyText } from "./sync-key-text.ts";
import type { SyncKey, SyncRow, SyncTransport, SyncWrite, SyncWriteResult } from "./sync-transport.ts";

/** One revision of the model; a tombstone keeps the item that it deleted. */
export interface ServerRevision {
  readonly row: SyncRow;
  readonly item: SyncItem;
}

export interface MemorySyncServer extends SyncTransport, PlanTransport {
  /** Every revision, oldest first. */
  history(key: SyncKey): readonly ServerRevision[];
  readonly keys: readonly SyncKey[];
  /** What somebody else does on the server: an unconditional write of the next revision, and a tombstone. */
  put(kind: SyncKey["kind"], item: SyncItem): SyncRow;
  delete(key: SyncKey): void;
  setPlan(plan: PlanStatus): void;
  /** Orders about plans that arrived. */
  readonly planRequests: readonly string[];
  readonly requests: { list: number; read: number; write: number };
  /** The next so many operations of batches come back unprocessed. */
  leaveUnprocessed(operations: number): void;
}

export interface MemorySyncServerOptions {
  readonly pageRows?: number;
  /** Tells the ids that a service gave before it lost its data from those that it gives afterwards. */
  readonly life?: number;
}

/** The service as a model: what its routes must do, in a few lines. */
export function memorySyncServer(options: MemorySyncServerOptions = {}): MemorySyncServer {
  const { pageRows = 5000, life = 1 } = options;
  const histories = new Map<string, { readonly key: SyncKey; readonly revisions: ServerRevision[] }>();
  const plans = new Map<string, PlanStatus>();
  const planRequests: string[] = [];
  const requests = { list: 0, read: 0, write: 0 };
  let unprocessed = 0;

  const revisionsOf = ({ kind, id }: SyncKey): ServerRevision[] => {
    const key = { kind, id: id.normalize("NFC") };
    const known = histories.get(syncKeyText(key)) ?? { key, revisions: [] };
    histories.set(syncKeyText(key), known);
    return known.revisions;
  };
  const latest = (key: SyncKey) =>
    histories.get(syncKeyText({ ...key, id: key.id.normalize("NFC") }))?.revisions.at(-1);

  const append = (
    key: SyncKey,
    { item, deleted }: { readonly item: SyncItem; readonly deleted: boolean },
  ) => {
    const revisions = revisionsOf(key);
    const row: SyncRow = {
      kind: key.kind,
      id: item.id,
      // Made of the key, so that it does not depend on who came first.
      serverId: `res_${life}_${key.kind}_${item.id}`,
      revision: revisions.length + 1,
      version: item.version,
      contentSha256: itemContentSha256(item),
      deleted,
    };
    revisions.push({ row, item: structuredClone(item) });
    return row;
  };

  const takesNothing = (): boolean => {
    if (unprocessed === 0) return false;
    unprocessed -= 1;
    return true;
  };

  const writeOne = (write: SyncWrite): SyncWriteResult => {
    if (takesNothing()) return { status: "unprocessed" };
    if (write.op === "put") {
      const parsed = parseSyncItem(write.item);
      if (parsed.kind === "invalid") {
        return { status: "refused", code: "validation_failed", message: parsed.reason, field: parsed.field };
      }
      const { item } = parsed;
      const key = { kind: write.kind, id: item.id };
      const standing = latest(key)?.row;
      if (standing?.deleted === false && standing.contentSha256 === itemContentSha256(item)) {
        return { status: "unchanged", row: standing };
      }
      const expectsNothing = write.expectedRevision === 0 && standing?.deleted !== false;
      if (!expectsNothing && write.expectedRevision !== (standing?.revision ?? 0)) {
        return { status: "conflict", found: standing };
      }
      return { status: "written", row: append(key, { item, deleted: false }) };
    }
    const standing = latest(write);
    if (standing === undefined) return { status: "conflict", found: undefined };
    if (standing.row.deleted) return { status: "unchanged", row: standing.row };
    if (standing.row.revision !== write.expectedRevision) return { status: "conflict", found: standing.row };
    return { status: "written", row: append(write, { item: standing.item, deleted: true }) };
  };

  const planOf = (planId: string): PlanStatus => {
    const found = [...plans.values()].find((plan) => plan.planId === planId || plan.serverPlanId === planId);
    if (found !== undefined) return found;
    throw new NotFoundError({ code: "not_found", message: `There is no plan ${planId}.` });
  };

  return {
    async list({ kinds, cursor }) {
      requests.list += 1;
      const rows = [...histories.values()]
        .flatMap(({ revisions }) => revisions.at(-1)?.row ?? [])
        .filter(({ kind }) => kinds.includes(kind))
        .sort((one, other) => Buffer.compare(Buffer.from(syncKeyText(one)), Buffer.from(syncKeyText(other))));
      const start = Number(cursor ?? 0);
      const end = start + pageRows;
      return { rows: rows.slice(start, end), ...(end < rows.length ? { cursor: String(end) } : {}) };
    },
    async read(keys) {
      requests.read += 1;
      return keys.map((key) => {
        if (takesNothing()) return { status: "unprocessed" };
        const found = latest(key);
        if (found === undefined || found.row.deleted) return { status: "gone", row: found?.row };
        return { status: "found", row: found.row, item: structuredClone(found.item) };
      });
    },
    async write(writes) {
      requests.write += 1;
      return writes.map(writeOne);
    },
    async executePlan({ planId, plan }) {
      planRequests.push(`execute ${planId}`);
      const known = [...plans.values()].find((other) => other.planId === planId);
      if (known !== undefined) return { ...known, phase: "submitted" };
      if (plan === undefined) return planOf(planId);
      const accepted = {
        planId,
        serverPlanId: `pln_${plans.size + 1}`,
        phase: "submitted",
        message: "submitted",
      };
      plans.set(planId, accepted);
      return accepted;
    },
    async applyPlan({ planId, digest }) {
      planRequests.push(`apply ${planId} ${digest}`);
      return { ...planOf(planId), phase: "applying", message: `applying ${digest}` };
    },
    async planStatus({ planId }) {
      planRequests.push(`status ${planId}`);
      return planOf(planId);
    },
    history: (key) => histories.get(syncKeyText(key))?.revisions ?? [],
    get keys() {
      return [...histories.values()].map(({ key }) => key);
    },
    put: (kind, item) => {
      const parsed = parseSyncItem(item);
      if (parsed.kind === "invalid") throw new TypeError(parsed.reason);
      return append({ kind, id: parsed.item.id }, { item: parsed.item, deleted: false });
    },
    delete: (key) => {
      const standing = latest(key);
      if (standing !== undefined && !standing.row.deleted)
        append(key, { item: standing.item, deleted: true });
    },
    setPlan: (plan) => {
      plans.set(plan.planId, plan);
    },
    planRequests,
    requests,
    leaveUnprocessed: (operations) => {
      unprocessed = operations;
    },
  };
}
