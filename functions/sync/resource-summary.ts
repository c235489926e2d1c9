import type { ResourceSummaryReply } from "#lib/api/resource-requests.ts";
import type { ResourceRecord } from "#lib/resource/resource-store.ts";

/** A revision without what it holds. */
export const resourceSummary = (record: Omit<ResourceRecord, "body">): ResourceSummaryReply => ({
  kind: record.kind,
  id: record.id,
  serverId: record.serverId,
  revision: record.revision,
  version: record.version,
  contentSha256: record.contentSha256,
  deleted: record.deleted,
  updatedBy: record.updatedBy,
  updatedAt: new Date(record.updatedAtEpochMs).toISOString(),
  ...(record.changesetDigest === undefined ? {} : { changesetDigest: record.changesetDigest }),
  ...(record.planId === undefined ? {} : { planId: record.planId }),
});
