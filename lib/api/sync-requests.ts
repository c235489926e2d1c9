import * as z from "zod/mini";
import { resourceId } from "../resource/resource-id.ts";
import { resourceKinds } from "../resource/resource-store.ts";
import { queryInteger } from "./page-query.ts";

const hash = z.string().check(z.regex(/^[0-9a-f]{64}$/));
const revision = z.int().check(z.minimum(0), z.maximum(9_999_999_999));
const kind = z.enum(resourceKinds);

/** At most: rows of a listing's page, operations of a batch, bytes of its body or reply, bytes of one item as JSON. */
export const syncLimits = {
  listed: 5000,
  operations: 100,
  batchBytes: 4 * 1024 * 1024,
  itemBytes: 1024 * 1024,
} as const;

/**
 * The document of an action, skill, tool or project as it travels: what the local file says, without the server's id. A
 * project's has `tree` (the SHA-256 of an uploaded root directory) and `settings`. Other members are the kind's own.
 */
export const syncItemDocument = z.looseObject({
  id: resourceId,
  name: z.string().check(z.minLength(1), z.maxLength(256)),
  version: z.string().check(z.minLength(1), z.maxLength(128)),
  metadata: z.record(z.string(), z.unknown()),
});

/**
 * One row of `GET /v1/sync`. Of a tombstone, `contentSha256` and `version` are those of what was deleted. The hash is that of
 * `itemContentSha256` (lib/sync/item-content.ts).
 */
export const syncRowReply = z.strictObject({
  kind,
  id: z.string(),
  serverId: z.string(),
  revision,
  version: z.string(),
  contentSha256: hash,
  deleted: z.boolean(),
});

/**
 * `GET /v1/sync`: the latest revision of every resource of the tenant, tombstones included, strongly consistent. `kinds` is a
 * comma-separated list, all four when it is left out.
 */
export const syncListQuery = z.strictObject({
  kinds: z.optional(z.string().check(z.minLength(1), z.maxLength(64))),
  limit: z.optional(queryInteger({ minimum: 1, maximum: syncLimits.listed })),
  cursor: z.optional(z.string().check(z.minLength(1), z.maxLength(2048))),
});
export const syncListReply = z.strictObject({
  resources: z.array(syncRowReply),
  cursor: z.optional(z.string()),
});

/** A `syncItemDocument`; one that is none is that operation's `refused`, and not the batch's. */
const writtenItem = z.record(z.string(), z.unknown());

/**
 * One operation of a batch. A `put` and a `delete` are conditional: they are done if the latest revision is
 * `expectedRevision` (0: there is none, or a tombstone). A put of what stands there already, and a delete of a tombstone,
 * change nothing and are answered `unchanged` whatever revision they expect, so that a batch may be sent again.
 */
export const syncOperation = z.discriminatedUnion("op", [
  z.strictObject({ op: z.literal("get"), kind, id: resourceId }),
  z.strictObject({ op: z.literal("put"), kind, item: writtenItem, expectedRevision: revision }),
  z.strictObject({ op: z.literal("delete"), kind, id: resourceId, expectedRevision: revision }),
]);

/** `POST /v1/sync`, up to 100 operations and 4 MiB; at most one operation a resource. */
export const syncRequest = z.strictObject({
  operations: z.array(syncOperation).check(z.minLength(1), z.maxLength(syncLimits.operations)),
});

/**
 * A result for each operation, in the order of the operations. `conflict`: another revision stands, `found` is it, `null` when
 * there never was one. `refused`: this operation can never succeed as it is. `unprocessed`: nothing happened, send it again
 * (throttled, or the reply would have passed 4 MiB).
 */
export const syncResultReply = z.discriminatedUnion("status", [
  z.strictObject({ status: z.literal("found"), row: syncRowReply, item: syncItemDocument }),
  z.strictObject({ status: z.literal("gone"), row: z.nullable(syncRowReply) }),
  z.strictObject({ status: z.literal("written"), row: syncRowReply }),
  z.strictObject({ status: z.literal("unchanged"), row: syncRowReply }),
  z.strictObject({ status: z.literal("conflict"), found: z.nullable(syncRowReply) }),
  z.strictObject({
    status: z.literal("refused"),
    code: z.string(),
    message: z.string(),
    field: z.optional(z.string()),
  }),
  z.strictObject({ status: z.literal("unprocessed") }),
]);
export const syncReply = z.strictObject({ results: z.array(syncResultReply) });

export type SyncListReply = z.infer<typeof syncListReply>;
export type SyncRequest = z.infer<typeof syncRequest>;
export type SyncReply = z.infer<typeof syncReply>;
export type SyncRowReply = z.infer<typeof syncRowReply>;
