import * as z from "zod/mini";

const hash = z.string().check(z.regex(/^[0-9a-f]{64}$/, "must be a SHA-256 in lower-case hex, 64 digits"));
const decisionId = z.string().check(z.minLength(1), z.maxLength(128));

/**
 * Body of `apply`: the digest that was reviewed. `allowFailed`: also of a run that failed or was cancelled. `only` is always
 * refused, with the request that makes a partial changeset of it.
 */
export const applyRequest = z.strictObject({
  digest: hash,
  allowFailed: z.optional(z.boolean()),
  only: z.optional(z.array(decisionId).check(z.minLength(1), z.maxLength(1000))),
});
export type ApplyRequest = z.infer<typeof applyRequest>;

/** Body of `approve` and `reject`; `reason` stands in the ledger. */
export const judgeRequest = z.strictObject({
  digest: hash,
  reason: z.optional(z.string().check(z.minLength(1), z.maxLength(1000))),
});
export type JudgeRequest = z.infer<typeof judgeRequest>;

/** Body of `rollback`: the digest of a rollback changeset. */
export const rollbackRequest = z.strictObject({ digest: hash });

/**
 * Body of `changesets`. `of`: the digest that it is made from: a sealed or derived one to merge onto its project as that is
 * now; the sealed one to take a part of (`only`: decisions); an applied one to roll back.
 */
export const deriveRequest = z.strictObject({
  kind: z.enum(["merge", "partial", "rollback"]),
  of: hash,
  only: z.optional(z.array(decisionId).check(z.minLength(1), z.maxLength(10_000))),
});
export type DeriveRequest = z.infer<typeof deriveRequest>;
