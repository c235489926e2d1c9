import * as z from "zod/mini";
import { resourceId } from "../resource/resource-id.ts";
import { identifierPattern, identifierRule } from "./plan-id.ts";
import { planLimits } from "./plan-limits.ts";

export const automationProfiles = ["manual", "review", "auto"] as const;

const identifier = z.string().check(z.regex(identifierPattern, `must be ${identifierRule}`));

export const toolCallDocument = z.strictObject({
  tool: z.string().check(z.minLength(1), z.maxLength(planLimits.toolNameLength)),
  input: z.record(z.string(), z.unknown()),
});

export const decisionDocument = z.strictObject({
  id: identifier,
  parentId: z.optional(identifier),
  rationale: z.optional(z.string().check(z.maxLength(planLimits.rationaleLength))),
  dependsOn: z.optional(z.array(identifier)),
  toolCalls: z.optional(z.array(toolCallDocument).check(z.maxLength(planLimits.toolCallsPerDecision))),
});

export const projectResourceDocument = z.strictObject({
  project: z.optional(resourceId),
  tree: z.optional(
    z.string().check(z.regex(/^[0-9a-f]{64}$/, "must be a SHA-256 in lower-case hex, 64 digits")),
  ),
  access: z.optional(z.enum(["read", "write"])),
});

const envelope = {
  name: z.optional(z.string().check(z.maxLength(planLimits.nameLength))),
  decisionRootId: z.optional(identifier),
  automationProfile: z.optional(z.enum(automationProfiles)),
  projectResources: z.optional(z.record(identifier, projectResourceDocument)),
  resourceBindings: z.optional(z.record(identifier, identifier)),
};

/**
 * A plan as it is submitted. Only `decisions` is required, and may be empty: a plan in which there is nothing to do is a
 * success without changes. What a schema cannot say (ids that are known, one writable resource, no cycle) is checked by
 * `parsePlanDocument`.
 */
export const planDocument = z.strictObject({
  ...envelope,
  decisions: z.array(decisionDocument).check(z.maxLength(planLimits.decisions)),
});

/** The document with its decisions still unread, so that a long list is read one by one and given up early. */
export const planEnvelope = z.strictObject({
  ...envelope,
  decisions: z.array(z.unknown()).check(z.maxLength(planLimits.decisions)),
});

export type PlanDocument = z.infer<typeof planDocument>;
export type DecisionDocument = z.infer<typeof decisionDocument>;
