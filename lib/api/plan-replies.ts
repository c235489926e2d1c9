import * as z from "zod/mini";
import { ledgerBodyLineSchema } from "../ledger/ledger-line.ts";
import { phases } from "../run/phase.ts";

/** Replies of the plan routes: shapes shared by handlers (which are held to them), OpenAPI and the client library. */

const hash = z.string().check(z.regex(/^[0-9a-f]{64}$/));
const count = z.int().check(z.nonnegative());
const epochMs = z.int().check(z.nonnegative());

const phase = z.enum(phases);

/** 202 of execute, pause, resume, cancel, apply, approve, reject, rollback. */
export const acceptedReply = z.strictObject({
  planId: z.string(),
  serverPlanId: z.string(),
  status: z.enum(phases),
  run: z.int(),
  message: z.string(),
});
export type AcceptedReply = z.infer<typeof acceptedReply>;

export const failureReply = z.strictObject({
  decisionId: z.string(),
  status: z.enum(["failed", "skipped"]),
  code: z.string(),
  message: z.string(),
  callOrdinal: z.optional(count),
  because: z.optional(z.array(z.string())),
});

export const costReply = z.strictObject({
  costUsd: z.number(),
  units: z.record(z.string(), z.number()),
  priceListDate: z.string(),
});

const fileState = z.strictObject({
  sha256: hash,
  sizeBytes: count,
  mode: z.enum(["100644", "100755", "120000"]),
  gitBlobId: z.string(),
});

/** A path that is in the way of an apply: what the changeset expects there, and what was found. */
export const conflictReply = z.strictObject({
  path: z.string(),
  expected: z.nullable(fileState),
  found: z.nullable(
    z.union([
      fileState,
      z.strictObject({ kind: z.enum(["directory", "below_symlink", "below_file", "other"]) }),
    ]),
  ),
  reason: z.string(),
});
export type ConflictReply = z.infer<typeof conflictReply>;

/** `sealed`: the run's own changeset; the others are derived from it. */
export const changesetKind = z.enum(["sealed", "merge", "partial", "rollback"]);

export const approvalReply = z.strictObject({
  digest: hash,
  verdict: z.enum(["approved", "rejected"]),
  by: z.string(),
  at: z.string(),
});

/**
 * How the last apply or rollback ended. `applied`: it made `revision` of `project`; `conflicts`: the project had moved, the
 * first of what is in the way is listed; `failed`: `code` and `message` say why. A rollback names what it undoes.
 */
export const lastApplyReply = z.strictObject({
  status: z.enum(["applied", "conflicts", "failed"]),
  digest: hash,
  kind: changesetKind,
  undoes: z.optional(hash),
  message: z.string(),
  code: z.optional(z.string()),
  project: z.optional(z.string()),
  revision: z.optional(z.int()),
  conflictCount: z.optional(count),
  conflicts: z.optional(z.array(conflictReply)),
  by: z.string(),
  at: z.string(),
});
export type LastApplyReply = z.infer<typeof lastApplyReply>;

export const planStatusReply = z.strictObject({
  planId: z.string(),
  serverPlanId: z.string(),
  name: z.optional(z.string()),
  phase,
  message: z.string(),
  run: z.int(),
  changesetId: z.string(),
  /** That an apply goes to; none where the plan writes to no project of the service. */
  project: z.optional(z.string()),
  automationProfile: z.enum(["manual", "review", "auto"]),
  digest: z.optional(hash),
  counts: z.strictObject({ total: count, pending: count, landed: count, failed: count, skipped: count }),
  toolCalls: count,
  entries: count,
  /** "no changes" is a success of its own kind. */
  noChanges: z.boolean(),
  failures: z.array(failureReply),
  failuresTruncated: z.boolean(),
  inProgress: z.optional(z.strictObject({ decisionId: z.string(), callOrdinal: z.optional(count) })),
  /** Under `review`: the decision with external effects at which the run stopped, and the digest whose approval releases it. */
  waitingFor: z.optional(z.strictObject({ decisionId: z.string(), digest: hash })),
  /** The newest verdict; `approvals` has the newest of each digest. */
  approval: z.optional(approvalReply),
  approvals: z.optional(z.array(approvalReply)),
  /** The apply under way. */
  applying: z.optional(
    z.strictObject({
      digest: hash,
      kind: changesetKind,
      project: z.string(),
      by: z.string(),
      at: z.string(),
    }),
  ),
  lastApply: z.optional(lastApplyReply),
  startedAt: z.optional(z.string()),
  endedAt: z.optional(z.string()),
  cost: costReply,
  costUsd: z.number(),
});
export type PlanStatusReply = z.infer<typeof planStatusReply>;

export const planListReply = z.strictObject({
  plans: z.array(
    z.strictObject({
      planId: z.string(),
      serverPlanId: z.string(),
      name: z.optional(z.string()),
      submittedAt: z.string(),
      phase: z.optional(phase),
    }),
  ),
  cursor: z.optional(z.string()),
});

export const entryReply = z.strictObject({
  decisionId: z.string(),
  callOrdinal: count,
  resource: z.string(),
  path: z.string(),
  kind: z.enum(["create", "modify", "delete", "mode", "type"]),
  before: z.nullable(fileState),
  after: z.nullable(fileState),
  /** Derived: this create is the other end of a move from that path. */
  movedFrom: z.optional(z.string()),
});
export type EntryReply = z.infer<typeof entryReply>;

export const callReply = z.strictObject({
  callOrdinal: count,
  tool: z.string(),
  input: z.unknown(),
  status: z.enum(["succeeded", "failed"]),
  failure: z.optional(
    z.strictObject({
      code: z.string(),
      message: z.string(),
      details: z.optional(z.record(z.string(), z.unknown())),
    }),
  ),
  /** Output as text, ill-formed bytes escaped as \xNN when `outputIllFormed`. */
  output: z.string(),
  outputIllFormed: z.boolean(),
  outputSizeBytes: count,
  outputTruncated: z.boolean(),
  durationMs: z.number(),
});

export const decisionReply = z.strictObject({
  ordinal: count,
  decisionId: z.string(),
  parentId: z.optional(z.string()),
  rationale: z.optional(z.string()),
  dependsOn: z.array(z.string()),
  run: z.int(),
  status: z.enum(["pending", "landed", "failed", "skipped"]),
  failure: z.optional(failureReply),
  calls: z.array(callReply),
  entries: z.array(entryReply),
  /** Of a decision with more entries than a reply holds: how many are not here, but in the changeset. */
  entriesLeftOut: z.optional(count),
  startedAt: z.optional(z.string()),
  durationMs: z.optional(z.number()),
});
export type DecisionReply = z.infer<typeof decisionReply>;
/** `decisions`: in plan order, pending ones included. */
export const decisionsReply = z.strictObject({
  planId: z.string(),
  run: z.int(),
  decisions: z.array(decisionReply),
  cursor: z.optional(z.string()),
});

export const eventReply = z.strictObject({
  seq: z.int(),
  type: z.string(),
  run: z.int(),
  at: z.string(),
  atEpochMs: epochMs,
  by: z.string(),
  decisionId: z.optional(z.string()),
  ordinal: z.optional(count),
  reason: z.optional(z.string()),
  recordSha256: z.optional(hash),
  digest: z.optional(hash),
  undoes: z.optional(hash),
  project: z.optional(z.string()),
  revision: z.optional(z.int()),
  ledgerHead: hash,
});
export type EventReply = z.infer<typeof eventReply>;
/** `cursor` is always there: pass it back to see what comes later; `ended` tells that nothing will, for now. */
export const eventsReply = z.strictObject({
  planId: z.string(),
  events: z.array(eventReply),
  cursor: z.string(),
  ended: z.boolean(),
});

export const changesetReply = z.strictObject({
  planId: z.string(),
  run: z.int(),
  changesetId: z.string(),
  state: z.enum(["open", "sealed"]),
  digest: z.optional(hash),
  baseTrees: z.record(z.string(), hash),
  /** Git tree id of each resource's tree after the run; on the first page of a sealed changeset. */
  resultGitTreeIds: z.optional(z.record(z.string(), z.string())),
  entries: z.array(entryReply),
  cursor: z.optional(z.string()),
});

/** The lines of an exported ledger but its last, which whoever writes the file adds (`ledger-export.ts`). */
export const ledgerReply = z.strictObject({
  planId: z.string(),
  lines: z.array(ledgerBodyLineSchema),
  cursor: z.optional(z.string()),
});
