import type { Caller } from "../access/caller.ts";
import { type SyncReply, type SyncRequest, syncLimits } from "../api/sync-requests.ts";
import { concurrently } from "../client/concurrently.ts";
import { PlanledgerError, ValidationError } from "../errors/planledger-error.ts";
import type { ProjectPorts } from "./projects.ts";
import { deleteRevision, putRevision, type RevisionOutcome } from "./resource-revisions.ts";
import { syncRowOf } from "./sync-row.ts";
import { itemOfRecord, itemRevisionContent, requiredItem } from "./synced-item.ts";

type SyncOperation = SyncRequest["operations"][number];
type SyncResult = SyncReply["results"][number];

/** Whole items are held only so many at once, beside those of the reply. */
const operationsAtOnce = 8;
/** Of items in a reply; the rest of 4 MiB is for the rows. */
const replyItemBytes = syncLimits.batchBytes - 512 * 1024;

/**
 * Carries out a batch, a result for each operation. What an operation comes to is its own: a refusal (`refused`) and a fault
 * of a store (`unprocessed`) are not the others'. The operations are in no order among each other, so at most one a
 * resource is taken.
 */
export const performSyncBatch = async (
  ports: ProjectPorts,
  order: { readonly caller: Caller; readonly operations: readonly SyncOperation[] },
): Promise<readonly SyncResult[]> => {
  const { caller, operations } = order;
  checkDistinct(operations);
  const results: SyncResult[] = operations.map(() => ({ status: "unprocessed" }));
  const budget = { bytes: 0 };
  await concurrently(operations.entries(), operationsAtOnce, async ([index, operation]) => {
    results[index] = await settled(() =>
      operation.op === "get"
        ? readItem(ports, caller, { operation, budget })
        : writeItem(ports, caller, operation),
    );
  });
  return results;
};

const settled = async (perform: () => Promise<SyncResult>): Promise<SyncResult> => {
  try {
    return await perform();
  } catch (error) {
    if (!(error instanceof PlanledgerError) || error.code === "internal") throw error;
    if (error.retryable) return { status: "unprocessed" };
    const field = error instanceof ValidationError ? error.field.replace(/^\//, "") : "";
    return {
      status: "refused",
      code: error.code,
      message: error.message,
      ...(field === "" ? {} : { field }),
    };
  }
};

const readItem = async (
  { resources }: Pick<ProjectPorts, "resources">,
  { tenant }: Caller,
  read: {
    readonly operation: Extract<SyncOperation, { op: "get" }>;
    readonly budget: { bytes: number };
  },
): Promise<SyncResult> => {
  const { operation, budget } = read;
  if (budget.bytes >= replyItemBytes) return { status: "unprocessed" };
  const record = await resources.get({ tenant, kind: operation.kind, id: operation.id });
  if (record === undefined || record.deleted) {
    return { status: "gone", row: record === undefined ? null : syncRowOf(record) };
  }
  const item = itemOfRecord(record);
  // Twice: a function's answer carries its body as a string in JSON.
  const sizeBytes = Buffer.byteLength(JSON.stringify(JSON.stringify(item)));
  // The first is answered however large it is: asked for alone, every item must come.
  if (budget.bytes > 0 && budget.bytes + sizeBytes > replyItemBytes) return { status: "unprocessed" };
  budget.bytes += sizeBytes;
  return { status: "found", row: syncRowOf(record), item };
};

const writeItem = async (
  ports: ProjectPorts,
  caller: Caller,
  operation: Exclude<SyncOperation, { op: "get" }>,
): Promise<SyncResult> => {
  const { kind, expectedRevision } = operation;
  if (operation.op === "delete") {
    return resultOf(await deleteRevision(ports, { caller, kind, id: operation.id, expectedRevision }));
  }
  const sizeBytes = Buffer.byteLength(JSON.stringify(operation.item));
  if (sizeBytes > syncLimits.itemBytes) {
    throw new PlanledgerError({
      code: "limit_exceeded",
      message: `The item has ${sizeBytes} bytes as JSON; up to ${syncLimits.itemBytes} are taken.`,
    });
  }
  const item = requiredItem(operation.item);
  const content = await itemRevisionContent(ports.storesOf(caller.tenant), { kind, item });
  return resultOf(
    await putRevision(ports, { caller, kind, id: item.id, expectedRevision, content: () => content }),
  );
};

const resultOf = (outcome: RevisionOutcome): SyncResult => {
  switch (outcome.kind) {
    case "written":
    case "unchanged":
      return { status: outcome.kind, row: syncRowOf(outcome.record) };
    case "conflict":
      return { status: "conflict", found: outcome.latest === undefined ? null : syncRowOf(outcome.latest) };
    default:
      return outcome satisfies never;
  }
};

const checkDistinct = (operations: readonly SyncOperation[]): void => {
  const seen = new Map<string, number>();
  for (const [index, operation] of operations.entries()) {
    const id: unknown = operation.op === "put" ? operation.item.id : operation.id;
    if (typeof id !== "string") continue;
    const key = `${operation.kind} ${id.normalize("NFC")}`;
    const first = seen.get(key);
    if (first !== undefined) {
      throw new ValidationError({
        field: `/operations/${index}`,
        message: `/operations/${index} is about ${key}, as /operations/${first} is. A batch takes one operation for each resource; send the other in a further batch.`,
      });
    }
    seen.set(key, index);
  }
};
