import * as z from "zod/mini";
import { changesetKind, entryReply } from "./plan-replies.ts";

const hash = z.string().check(z.regex(/^[0-9a-f]{64}$/));
const count = z.int().check(z.nonnegative());

/** A decision that a partial changeset takes with it, for whom, and why. */
const addedReply = z.strictObject({
  decisionId: z.string(),
  neededBy: z.string(),
  because: z.union([
    z.strictObject({ kind: z.literal("depends_on") }),
    z.strictObject({ kind: z.literal("path"), resource: z.string(), path: z.string() }),
  ]),
});

/** A call whose effect outside no rollback undoes. */
const externalEffectReply = z.strictObject({
  decisionId: z.string(),
  callOrdinal: count,
  tool: z.string(),
  outcome: z.enum(["succeeded", "unknown"]),
});

const derived = {
  planId: z.string(),
  digest: hash,
  kind: z.enum(["merge", "partial", "rollback"]),
  of: hash,
  baseTrees: z.record(z.string(), hash),
  entryCount: count,
  /** Who made it first, and so cannot approve it. */
  derivedBy: z.optional(z.string()),
  /** Of a partial one: decisions asked for, and those added to them. */
  only: z.optional(z.array(z.string())),
  added: z.optional(z.array(addedReply)),
  /** Of a rollback. */
  undoes: z.optional(hash),
  externalEffects: z.optional(z.array(externalEffectReply)),
};

/** 201 of `changesets`. */
export const derivedReply = z.strictObject({ ...derived, message: z.string() });
export type DerivedReply = z.infer<typeof derivedReply>;

/** A page of a derived changeset's entries, in the order in which they are applied. */
export const derivedPageReply = z.strictObject({
  ...derived,
  entries: z.array(entryReply),
  cursor: z.optional(z.string()),
});
export type DerivedPageReply = z.infer<typeof derivedPageReply>;

/** Who asked for a change, and why, up to the root of the tree of decisions. */
const whyReply = z.strictObject({ decisionId: z.string(), rationale: z.optional(z.string()) });

/**
 * One entry with both ends of its trace: the decision and the tool call that made it and the reasons up to the root (`why`,
 * nearest first), and the project revisions in which it stands.
 */
export const tracedEntryReply = z.strictObject({
  run: z.int(),
  entry: entryReply,
  call: z.strictObject({ callOrdinal: count, tool: z.string(), input: z.unknown() }),
  why: z.array(whyReply),
  /** At least so many more reasons stand further up, in a chain that is longer than a reply holds. */
  whyLeftOut: z.optional(count),
  revisions: z.array(
    z.strictObject({
      project: z.string(),
      revision: z.int(),
      digest: hash,
      kind: changesetKind,
    }),
  ),
});
export type TracedEntryReply = z.infer<typeof tracedEntryReply>;
export const traceReply = z.strictObject({
  planId: z.string(),
  traces: z.array(tracedEntryReply),
  cursor: z.optional(z.string()),
});
export type TraceReply = z.infer<typeof traceReply>;
