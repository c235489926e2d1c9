import { httpSyncTransport } from "#lib/sync/http-sync-transport.ts";
import { PlanSyncClient } from "#lib/sync/plan-sync-client.ts";
import type { CountedService } from "../test/slow/counted-service.testkit.ts";
import { startCounting, type Usage } from "./usage.ts";
import { skills } from "./workload.ts";

/** One sync of many items. */
export interface CountedSync {
  readonly name: string;
  readonly items: number;
  /** Of the client. */
  readonly requests: number;
  readonly usage: Usage;
}

/** Syncs new items, then the same again, then each of them changed; every outcome is checked. */
export async function countSync(service: CountedService, items: number): Promise<readonly CountedSync[]> {
  const sync = new PlanSyncClient({
    transport: httpSyncTransport({ client: await service.clientOf("sync") }),
  });
  const local = skills(items);
  const counted: CountedSync[] = [];
  const take = async (name: string, outcome: "created" | "skipped" | "updated"): Promise<void> => {
    const counting = startCounting(service);
    const result = await sync.syncItems("skills", local);
    if (result[outcome] !== items || result.errors.length > 0) {
      throw new Error(`sync of ${name}: ${result[outcome]} of ${items} ${outcome}`);
    }
    counted.push({ name, items, requests: result.requests, usage: counting.stop() });
  };
  await take("new", "created");
  await take("unchanged", "skipped");
  for (const item of local) item.version = "2";
  await take("changed", "updated");
  return counted;
}
