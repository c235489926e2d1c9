import * as z from "zod/mini";
import { resourceSummaryReply } from "./resource-requests.ts";
import { syncItemDocument } from "./sync-requests.ts";

/**
 * `PUT /v1/{kind}/{namespace}/{name}`: the item's document. What is left out: `id` is that of the path, `name` its second
 * part, `version` the one that stands (`1` at first), `metadata` is empty. `expectedRevision` (or `If-Match: "N"`): write only
 * if that is the revision now, 0 for "there is none yet"; without it the last write wins.
 */
export const itemPutRequest = z.looseObject({
  id: z.optional(z.string().check(z.minLength(1), z.maxLength(256))),
  name: z.optional(z.string().check(z.minLength(1), z.maxLength(256))),
  version: z.optional(z.string().check(z.minLength(1), z.maxLength(128))),
  metadata: z.optional(z.record(z.string(), z.unknown())),
  expectedRevision: z.optional(z.int().check(z.minimum(0), z.maximum(9_999_999_999))),
});
export type ItemPutRequest = z.infer<typeof itemPutRequest>;

/** A revision with its document; that of a tombstone is what was deleted. */
export const itemReply = z.strictObject({ ...resourceSummaryReply.shape, item: syncItemDocument });
export type ItemReply = z.infer<typeof itemReply>;

/** Revisions, newest first, without their documents. */
export const itemRevisionsReply = z.strictObject({
  revisions: z.array(resourceSummaryReply),
  cursor: z.optional(z.string()),
});
