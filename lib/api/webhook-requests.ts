import * as z from "zod/mini";
import { phases } from "../run/phase.ts";

/** The name of a webhook in its tenant. */
export const webhookName = z
  .string()
  .check(
    z.regex(
      /^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/,
      "must be 1 to 64 letters (A–Z, a–z), digits, '.', '_' or '-', the first a letter or a digit",
    ),
  );

export const secretReferencePattern = /^secret:([A-Za-z][A-Za-z0-9_]{0,63})$/;

/**
 * Body of `PUT /v1/webhooks/{name}`. Without `phases` all are told. `secret` is `secret:NAME` of a secret that the operator
 * keeps for the tenant, or `generate`; without it a new webhook gets a generated one, and another keeps what it has.
 */
export const webhookRequest = z.strictObject({
  url: z.string(),
  phases: z.optional(z.array(z.enum(phases)).check(z.minLength(1), z.maxLength(phases.length))),
  secret: z.optional(
    z
      .string()
      .check(
        z.refine(
          (text) => text === "generate" || secretReferencePattern.test(text),
          "must be 'secret:NAME' of a secret that the operator keeps, or 'generate'",
        ),
      ),
  ),
});

export const webhookReply = z.strictObject({
  name: z.string(),
  url: z.string(),
  phases: z.array(z.enum(phases)),
  secret: z.string(),
  state: z.enum(["active", "disabled"]),
  /** Why it is disabled. */
  reason: z.optional(z.string()),
  disabledAt: z.optional(z.string()),
  failingSince: z.optional(z.string()),
  createdAt: z.string(),
  createdBy: z.string(),
});
export type WebhookReply = z.infer<typeof webhookReply>;

/** What a PUT answers: with `signingSecret` where one was made, the only time that it is told. */
export const webhookSavedReply = z.strictObject({
  ...webhookReply.shape,
  signingSecret: z.optional(z.string()),
});

export const webhookListReply = z.strictObject({ webhooks: z.array(webhookReply) });

export const deliveryReply = z.strictObject({
  id: z.string(),
  planId: z.string(),
  run: z.int(),
  phase: z.enum(phases),
  sequence: z.int(),
  at: z.string(),
  state: z.enum(["pending", "delivered", "given_up", "dropped"]),
  reason: z.optional(z.string()),
  nextAttemptAt: z.optional(z.string()),
  attempts: z.array(
    z.strictObject({
      at: z.string(),
      durationMs: z.number(),
      status: z.optional(z.int()),
      error: z.optional(z.strictObject({ code: z.string(), message: z.string() })),
    }),
  ),
});
export type DeliveryReply = z.infer<typeof deliveryReply>;

export const deliveryListReply = z.strictObject({
  deliveries: z.array(deliveryReply),
  cursor: z.optional(z.string()),
});
