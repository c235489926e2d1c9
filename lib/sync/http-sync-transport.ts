import type { SyncReply, SyncRequest } from "../api/sync-requests.ts";
import type { PlanledgerClient } from "../client/planledger-client.ts";
import { PlanledgerError } from "../errors/planledger-error.ts";
import type { PlanTransport } from "./plan-transport.ts";
import type { SyncReadResult, SyncTransport, SyncWriteResult } from "./sync-transport.ts";

type Result = SyncReply["results"][number];

/** A service over HTTP, as the tenant of the client's token. Retries are the client's. */
export function httpSyncTransport({
  client,
}: {
  readonly client: Pick<PlanledgerClient, "sync" | "executePlan" | "apply" | "planStatus">;
}): SyncTransport & PlanTransport {
  const batch = async (operations: SyncRequest["operations"]): Promise<readonly Result[]> => {
    const { results } = await client.sync.batch({ operations });
    if (results.length === operations.length) return results;
    throw unfit(`${results.length} results for ${operations.length} operations`);
  };

  return {
    async list(query) {
      const { resources, cursor } = await client.sync.list(query);
      return { rows: resources, ...(cursor === undefined ? {} : { cursor }) };
    },
    async read(keys) {
      const results = await batch(keys.map(({ kind, id }) => ({ op: "get", kind, id })));
      return results.map(readResult);
    },
    async write(writes) {
      const results = await batch(writes.map((write) => ({ ...write })));
      return results.map(writeResult);
    },

    async executePlan({ planId, plan, signal }) {
      const stop = signal === undefined ? {} : { signal };
      if (plan === undefined) {
        const { serverPlanId, message } = await client.planStatus({ planId, ...stop });
        return { planId, serverPlanId, phase: "submitted", message };
      }
      const { status, ...accepted } = await client.executePlan({ planId, plan, ...stop });
      return { ...accepted, phase: status };
    },
    async applyPlan(order) {
      const { status, ...accepted } = await client.apply(order);
      return { ...accepted, phase: status };
    },
    planStatus: async (query) => client.planStatus(query),
  };
}

function readResult(result: Result): SyncReadResult {
  switch (result.status) {
    case "found":
      return result;
    case "gone":
      return { status: "gone", row: result.row ?? undefined };
    case "unprocessed":
      return result;
    case "refused":
      throw new PlanledgerError({
        code: "internal",
        message: `the service refused to read an item: ${result.message}`,
      });
    default:
      throw unfit(`${result.status} for a read`);
  }
}

function writeResult(result: Result): SyncWriteResult {
  switch (result.status) {
    case "written":
    case "unchanged":
    case "refused":
    case "unprocessed":
      return result;
    case "conflict":
      return { status: "conflict", found: result.found ?? undefined };
    default:
      throw unfit(`${result.status} for a write`);
  }
}

const unfit = (what: string): PlanledgerError =>
  new PlanledgerError({
    code: "internal",
    message: `the service answered a sync batch with ${what}; client and service may be of different versions`,
  });
