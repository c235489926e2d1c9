import * as z from "zod/mini";
import { resourceKinds } from "../resource/resource-store.ts";

const hash = z.string().check(z.regex(/^[0-9a-f]{64}$/, "must be a SHA-256 in lower-case hex, 64 digits"));
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
  /** The changeset that made this revision, and its plan. */
  changesetDigest: z.optional(hash),
  planId: z.optional(z.string()),
});
export type ResourceSummaryReply = z.infer<typeof resourceSummaryReply>;

export const projectReply = z.strictObject({
  ...resourceSummaryReply.shape,
  tree: hash,
  gitTreeId: z.string(),
  settings: z.record(z.string(), z.unknown()),
});
export type ProjectReply = z.infer<typeof projectReply>;

/** Revisions of a project, newest first; a deletion has no tree. */
export const projectRevisionsReply = z.strictObject({
  revisions: z.array(
    z.strictObject({
      ...resourceSummaryReply.shape,
      tree: z.optional(hash),
      gitTreeId: z.optional(z.string()),
      settings: z.optional(z.record(z.string(), z.unknown())),
    }),
  ),
  cursor: z.optional(z.string()),
});
export type ProjectRevisionsReply = z.infer<typeof projectRevisionsReply>;

export const resourceListReply = z.strictObject({
  resources: z.array(resourceSummaryReply),
  cursor: z.optional(z.string()),
});
