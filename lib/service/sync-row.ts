import type { SyncRowReply } from "../api/sync-requests.ts";
import type { ResourceRecord } from "../resource/resource-store.ts";

/** A revision as listings and batches of the sync tell it. */
export const syncRowOf = (record: Omit<ResourceRecord, "body">): SyncRowReply => ({
  kind: record.kind,
  id: record.id,
  serverId: record.serverId,
  revision: record.revision,
  version: record.version,
  contentSha256: record.contentSha256,
  deleted: record.deleted,
});
