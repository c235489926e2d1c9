import * as z from "zod/mini";
import { resourceKinds } from "../resource/resource-store.ts";
import { conflictPolicies } from "../sync/conflict-policy.ts";

const time = z.string();
const count = z.int().check(z.minimum(0));

const address = z.string().check(
  z.minLength(1),
  z.maxLength(2048),
  z.refine((text) => {
    const url = URL.parse(text);
    return url !== null && (url.protocol === "https:" || url.protocol === "http:");
  }, "must be an absolute https address"),
  z.refine((text) => {
    const url = URL.parse(text);
    return url === null || (url.username === "" && url.password === "" && url.hash === "");
  }, "must hold neither credentials nor a fragment: a token is named beside it, as secret:NAME"),
);
const serviceAddress = address.check(
  z.refine((text) => URL.parse(text)?.search === "", "must be the service's base, without a query"),
);
const token = z
  .string()
  .check(
    z.regex(
      /^secret:[A-Za-z][A-Za-z0-9_]{0,63}$/,
      "must name a secret that the operator set for this tenant, as in secret:UPSTREAM_TOKEN; tokens themselves are not kept here",
    ),
  );

/** Another service, as the tenant of the token; or a catalogue, to whose server alone its token is sent. */
export const sourceFrom = z.discriminatedUnion("kind", [
  z.strictObject({ kind: z.literal("service"), url: serviceAddress, token }),
  z.strictObject({ kind: z.literal("catalogue"), url: address, token: z.optional(token) }),
]);

/** Kinds, each once. */
const scope = z.array(z.enum(resourceKinds)).check(
  z.minLength(1),
  z.refine((kinds) => new Set(kinds).size === kinds.length, "must name each kind once"),
);

/**
 * `PUT /v1/sync/sources/{name}`. What the sync does is what `planledger sync pull` does with the options of the same names, this
 * tenant being the local side. `maxDelete` counts with `prune`.
 */
export const sourcePutRequest = z.strictObject({
  from: sourceFrom,
  scope: z._default(scope, [...resourceKinds]),
  direction: z._default(z.literal("pull"), "pull"),
  policy: z._default(z.enum(conflictPolicies), "manual"),
  dryRun: z._default(z.boolean(), false),
  prune: z._default(z.boolean(), false),
  force: z._default(z.boolean(), false),
  maxDelete: z._default(z.int().check(z.minimum(0), z.maximum(1_000_000)), 100),
  everyMinutes: z._default(z.int().check(z.minimum(1), z.maximum(10_080)), 60),
  paused: z._default(z.boolean(), false),
});
export type SourcePutRequest = z.output<typeof sourcePutRequest>;

const outcome = z.enum(["completed", "unfinished", "failed", "stopped", "killed"]);

export const sourceReply = z.strictObject({
  name: z.string(),
  from: sourceFrom,
  scope: z.array(z.enum(resourceKinds)),
  direction: z.string(),
  policy: z.enum(conflictPolicies),
  dryRun: z.boolean(),
  prune: z.boolean(),
  force: z.boolean(),
  maxDelete: count,
  everyMinutes: count,
  paused: z.boolean(),
  savedBy: z.string(),
  savedAt: time,
  /** The run under way. */
  running: z.optional(z.strictObject({ run: count, startedAt: time, stopping: z.boolean() })),
  /** A run was asked for and has not begun. */
  requested: z.boolean(),
  /** The last runs that failed, one after another: the more, the longer until the next. */
  failures: count,
  nextRunAt: z.optional(time),
  lastRun: z.optional(
    z.strictObject({ run: count, outcome, endedAt: time, message: z.optional(z.string()) }),
  ),
});
export type SourceReply = z.infer<typeof sourceReply>;

export const sourceListReply = z.strictObject({
  sources: z.array(sourceReply),
  cursor: z.optional(z.string()),
});

const problem = z.strictObject({
  kind: z.optional(z.enum(resourceKinds)),
  item: z.string(),
  reason: z.string(),
  code: z.optional(z.string()),
  field: z.optional(z.string()),
});

/** The summary of `planledger sync`, with the first 20 conflicts and errors; `conflictCount` and `errorCount` tell how many there were. */
const summary = z.strictObject({
  created: count,
  updated: count,
  skipped: count,
  pulled: count,
  deleted: count,
  conflicts: z.array(problem),
  errors: z.array(problem),
  conflictCount: count,
  errorCount: count,
  requests: count,
  writes: count,
  dryRun: z.boolean(),
  totalProcessed: count,
});

export const sourceRunReply = z.strictObject({
  run: count,
  outcome,
  startedAt: time,
  endedAt: time,
  /** Of a catalogue that was as the last run left it: one conditional request. */
  unchanged: z.optional(z.boolean()),
  message: z.optional(z.string()),
  problem: z.optional(
    z.strictObject({ code: z.string(), message: z.string(), field: z.optional(z.string()) }),
  ),
  /** As far as the run came; none of one that was killed. */
  summary: z.optional(summary),
});
export type SourceRunReply = z.infer<typeof sourceRunReply>;

/** The newest first, up to 50. */
export const sourceRunsReply = z.strictObject({ runs: z.array(sourceRunReply) });
