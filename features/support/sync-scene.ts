import assert from "node:assert/strict";
import { InfrastructureError } from "#lib/errors/planledger-error.ts";
import { type ResourceKind, resourceKinds } from "#lib/resource/resource-store.ts";
import type { ConflictPolicy } from "#lib/sync/conflict-policy.ts";
import type { ExecutionResult } from "#lib/sync/execution-result.ts";
import { PlanSyncClient, type SyncOptions } from "#lib/sync/plan-sync-client.ts";
import type { PlanStatus, PlanTransport } from "#lib/sync/plan-transport.ts";
import type { SyncItem } from "#lib/sync/sync-item.ts";
import type { SyncResult } from "#lib/sync/sync-result.ts";
import { SyncScope } from "#lib/sync/sync-scope.ts";
import type { SyncSummary } from "#lib/sync/sync-summary.ts";
import type { SyncKey, SyncRow, SyncTransport } from "#lib/sync/sync-transport.ts";
import type { SyncDriver } from "./sync-driver.ts";
import { syncStubDriver } from "./sync-stub-driver.ts";

/** What a scenario about syncs shares: a service, a working copy, a client, and what they came to. */
export class SyncScene {
  policy: ConflictPolicy | undefined;
  scope: SyncScope = new SyncScope();
  summary: SyncSummary | undefined;
  result: SyncResult | undefined;
  executed: ExecutionResult | undefined;
  status: PlanStatus | undefined;
  plan: Awaited<ReturnType<SyncDriver["plan"]>> | undefined;
  /** Breaks the connection at the next write: once the service has it, or before. */
  breaks: "before" | "after" | undefined;
  planOrders = 0;
  #before: string | undefined;
  #client: PlanSyncClient | undefined;

  readonly driver: SyncDriver;

  constructor(driver: SyncDriver = syncStubDriver()) {
    this.driver = driver;
  }

  /** One client for the whole scenario, made when it is first needed. */
  get client(): PlanSyncClient {
    this.#client ??= new PlanSyncClient({
      transport: this.#transport(),
      bases: this.driver.copy.bases,
      scope: this.scope,
      ...(this.policy === undefined ? {} : { conflictPolicy: this.policy }),
    });
    return this.#client;
  }

  async sync(kind: ResourceKind, options: SyncOptions = {}): Promise<void> {
    this.#before = await this.#picture();
    this.summary = await this.client.syncItems(kind, this.driver.copy.local, options);
  }

  async syncAll(): Promise<void> {
    this.result = await this.client.syncAll(this.driver.copy.local);
    this.summary = this.result.total;
  }

  /** Items that both sides have, and know that they have. */
  async agreeOn(kind: ResourceKind, ids: readonly string[], version: string): Promise<void> {
    for (const id of ids) await this.addHere(kind, id, version);
    const { created, errors } = await this.client.syncItems(kind, this.driver.copy.local);
    assert.deepEqual([created, errors], [ids.length, []]);
  }

  async addHere(kind: ResourceKind, id: string, version = "1.0"): Promise<void> {
    await this.driver.copy.add(kind, sampleItem(kind, id, { version }));
  }

  async changeHere(
    key: SyncKey,
    change: { readonly text?: string; readonly version: string },
  ): Promise<void> {
    const { text = "changed here", version } = change;
    await this.driver.copy.edit(key, { version, description: text });
  }

  /** What somebody else does on the service. */
  async changeThere(
    key: SyncKey,
    change: { readonly text: string; readonly version: string },
  ): Promise<void> {
    const { row, item } = await this.itemThere(key);
    const changed = { ...item, version: change.version, description: change.text };
    const [result] = await this.driver.transport.write([
      { op: "put", kind: key.kind, item: changed, expectedRevision: row.revision },
    ]);
    assert.equal(result?.status, "written");
  }

  async removeThere(key: SyncKey): Promise<void> {
    const { row } = await this.itemThere(key);
    const [result] = await this.driver.transport.write([
      { op: "delete", ...key, expectedRevision: row.revision },
    ]);
    assert.equal(result?.status, "written");
  }

  async itemThere(key: SyncKey): Promise<{ readonly row: SyncRow; readonly item: SyncItem }> {
    const [found] = await this.driver.transport.read([key]);
    assert.ok(found?.status === "found", `the service has no ${key.kind} ${key.id}`);
    return found;
  }

  async assertAsBefore(): Promise<void> {
    assert.equal(await this.#picture(), this.#before);
  }

  get lastSummary(): SyncSummary {
    assert.ok(this.summary, "nothing was synced");
    return this.summary;
  }

  async #picture(): Promise<string> {
    const { transport, copy } = this.driver;
    const { rows } = await transport.list({ kinds: resourceKinds });
    return JSON.stringify([await copy.picture(), rows]);
  }

  #transport(): SyncTransport & PlanTransport {
    const { transport } = this.driver;
    const counted = <Order, Reply>(send: (order: Order) => Promise<Reply>) => {
      return (order: Order) => {
        this.planOrders += 1;
        return send(order);
      };
    };
    return {
      list: (query) => transport.list(query),
      read: (keys) => transport.read(keys),
      write: async (writes) => {
        const { breaks } = this;
        this.breaks = undefined;
        const results = breaks === "before" ? [] : await transport.write(writes);
        if (breaks !== undefined) throw new InfrastructureError({ message: "the connection broke" });
        return results;
      },
      executePlan: counted((order) => transport.executePlan(order)),
      applyPlan: counted((order) => transport.applyPlan(order)),
      planStatus: counted((order) => transport.planStatus(order)),
    };
  }
}

/** An item of a kind that the service takes. */
export function sampleItem(
  kind: ResourceKind,
  id: string,
  { version }: { readonly version: string },
): Readonly<Record<string, unknown>> {
  const shared = { id, name: id.slice(id.indexOf("/") + 1), version, metadata: {}, description: "as it was" };
  switch (kind) {
    case "actions":
      return { ...shared, arguments: {}, plan: { decisions: [] } };
    case "tools":
      return { ...shared, inputSchema: { type: "object" } };
    case "skills":
      return { ...shared, instructions: "Do it well." };
    case "projects":
      return shared;
    default:
      return kind satisfies never;
  }
}
