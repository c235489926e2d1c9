import { PlanledgerError } from "../errors/planledger-error.ts";
import type { ResourceKind, ResourceRecord } from "../resource/resource-store.ts";
import { checkItem, invalidItem } from "../sync/check-item.ts";
import { itemContentSha256 } from "../sync/item-content.ts";
import { parseSyncItem, type SyncItem } from "../sync/sync-item.ts";
import { projectBody, projectItem, projectRevisionContent } from "./projects.ts";
import type { RevisionContent } from "./resource-revisions.ts";
import type { TenantStores } from "./tenant-stores.ts";

/** The document of a revision, as it was synced. */
export const itemOfRecord = (record: ResourceRecord): SyncItem => {
  const { kind, id, version, revision, body } = record;
  if (kind === "projects") return projectItem({ id, version, ...projectBody.parse(body) });
  const parsed = parseSyncItem({ ...body, id, version });
  if (parsed.kind === "item") return parsed.item;
  throw new PlanledgerError({
    code: "internal",
    message: `Revision ${revision} of ${kind} ${id} is no item: ${parsed.reason}.`,
  });
};

/** What a revision with this document holds. Throws `ValidationError` for a document that breaks a rule of its kind. */
export const itemRevisionContent = async (
  stores: Pick<TenantStores, "trees">,
  order: { readonly kind: ResourceKind; readonly item: SyncItem },
): Promise<RevisionContent> => {
  const { kind, item } = order;
  await checkItem(kind, item);
  if (kind === "projects") return projectRevisionContent(stores.trees, item);
  return itemContent(item);
};

/** What a revision holds of a document that is known to keep the rules of its kind, which is no project. */
export const itemContent = (item: SyncItem): RevisionContent => ({
  version: item.version,
  contentSha256: itemContentSha256(item),
  body: item,
});

/** The document as `parseSyncItem` reads it; throws `ValidationError` with the field. */
export const requiredItem = (value: unknown): SyncItem => {
  const parsed = parseSyncItem(value);
  if (parsed.kind === "invalid") throw invalidItem(parsed);
  return parsed.item;
};
