import * as z from "zod/mini";
import { toolCallDocument } from "../plan/plan-document.ts";
import { planLimits } from "../plan/plan-limits.ts";

const hash = z.string().check(z.regex(/^[0-9a-f]{64}$/, "must be a SHA-256 in lower-case hex, 64 digits"));

/** A plan too large for a body: its document was uploaded as content, and is submitted by its hash. */
export const planReference = z.strictObject({ contentSha256: hash });

/** Body of `pause` and `cancel`; `reason` stands in the ledger. */
export const controlRequest = z.strictObject({
  reason: z.optional(z.string().check(z.minLength(1), z.maxLength(1000))),
});

/** Body of `resume`: after an end, corrected tool calls of decisions that failed or were skipped, by decision id. */
export const resumeRequest = z.strictObject({
  toolCalls: z.optional(
    z.record(z.string(), z.array(toolCallDocument).check(z.maxLength(planLimits.toolCallsPerDecision))),
  ),
});
export type ResumeRequest = z.infer<typeof resumeRequest>;
