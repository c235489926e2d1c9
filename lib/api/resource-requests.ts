import * as z from "zod/mini";
import { resourceKinds } from "../resource/resource-store.ts";

const hash = z.string().check(z.regex(/^[0-9a-f]{64}$/));
const revision = z.int().check(z.minimum(0), z.maximum(9_999_999_999));

/**
 * `PUT /v1/projects/{namespace}/{name}`. `tree` is the SHA-256 of an uploaded root directory. `expectedRevision` (or
 * `If-Match: "N"`): write only if that is the revision now, 0 for "there is none yet"; without it the last write wins.
 */
export const projectPutRequest = z.strictObject({
  tree: hash,
  version: z.optional(z.string().check(z.minLength(1), z.maxLength(128))),
  settings: z.optional(z.record(z.string(), z.unknown())),
  expectedRevision: z.optional(revision),
});
export type ProjectPutRequest = z.infer<typeof projectPutRequest>;

export const resourceSummaryReply = z.strictObject({
  kind: z.enum(resourceKinds),
  id: z.string(),
  serverId: z.string(),
  revision,
  version: z.string(),
  contentSha256: hash,
  deleted: z.boolean(),
  updatedBy: z.string(),
  updatedAt: z.string(),
  changesetDigest: z.optional(hash),
});
export type ResourceSummaryReply = z.infer<typeof resourceSummaryReply>;

export const projectReply = z.strictObject({
  ...resourceSummaryReply.shape,
  tree: hash,
  gitTreeId: z.string(),
  settings: z.record(z.string(), z.unknown()),
});
export type ProjectReply = z.infer<typeof projectReply>;

export const resourceListReply = z.strictObject({
  resources: z.array(resourceSummaryReply),
  cursor: z.optional(z.string()),
});
