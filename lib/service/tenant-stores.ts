import type { ContentStore } from "../content/content-store.ts";
import type { ContentTransfer } from "../content/content-transfer.ts";
import type { TreeStore } from "../tree/tree-store.ts";

/** The stores of one tenant's files. */
export interface TenantStores {
  readonly content: ContentStore;
  readonly trees: TreeStore;
  readonly transfer: ContentTransfer;
}

export type StoresOf = (tenant: string) => TenantStores;
