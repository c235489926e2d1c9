import type { LocalItems } from "#lib/sync/local-items.ts";
import type { PlanTransport } from "#lib/sync/plan-transport.ts";
import type { SyncBaseStore } from "#lib/sync/sync-base-store.ts";
import type { SyncItem } from "#lib/sync/sync-item.ts";
import type { SyncKey, SyncTransport } from "#lib/sync/sync-transport.ts";

/** Local items as the person sees them who works on them. */
export interface WorkingCopy {
  readonly local: LocalItems;
  readonly bases: SyncBaseStore;
  /** Puts a document there as it is, which need not be a valid item. */
  add(kind: SyncKey["kind"], document: Readonly<Record<string, unknown>>): Promise<void>;
  /** Changes members of the item's document. */
  edit(key: SyncKey, members: Readonly<Record<string, unknown>>): Promise<void>;
  remove(key: SyncKey): Promise<void>;
  /** Copies that were kept of overwritten content. */
  kept(): Promise<readonly SyncItem[]>;
  /** Everything, byte for byte, for comparing. */
  picture(): Promise<string>;
}

/** A service, and a working copy beside it. Features know neither how it is reached nor where the copy lies. */
export interface SyncDriver {
  readonly transport: SyncTransport & PlanTransport;
  readonly copy: WorkingCopy;
  /** The document of one revision. */
  revision(key: SyncKey & { readonly revision: number }): Promise<unknown>;
  /** Makes a plan that is in the phase, and tells its ids and its digest. */
  plan(
    name: string,
    state: "not_submitted" | "running" | "sealed",
  ): Promise<{
    /** The name, or where others have made it before, one made of it. */
    readonly planId: string;
    readonly serverPlanId: string;
    readonly digest: string;
    readonly document: Readonly<Record<string, unknown>>;
  }>;
  close(): Promise<void>;
}
