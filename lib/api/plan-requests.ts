import * as z from "zod/mini";
import { planDocument, toolCallDocument } from "../plan/plan-document.ts";
import { planLimits } from "../plan/plan-limits.ts";
import { resourceId } from "../resource/resource-id.ts";

const hash = z.string().check(z.regex(/^[0-9a-f]{64}$/, "must be a SHA-256 in lower-case hex, 64 digits"));

/** A plan too large for a body: its document was uploaded as content, and is submitted by its hash. */
export const planReference = z.strictObject({ contentSha256: hash });

/**
 * A plan that is made of a synced action and arguments (`args`, held to the action's schema). The other members stand above
 * those of the action's template; resources and bindings name by name.
 */
export const actionRequest = z.strictObject({
  action: resourceId,
  args: z.optional(z.record(z.string(), z.unknown())),
  name: planDocument.shape.name,
  automationProfile: planDocument.shape.automationProfile,
  projectResources: planDocument.shape.projectResources,
  resourceBindings: planDocument.shape.resourceBindings,
});
export type ActionRequest = z.infer<typeof actionRequest>;

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
