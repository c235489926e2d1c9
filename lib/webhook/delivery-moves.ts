import { createHash } from "node:crypto";
import type { Delivery, DeliveryAttempt, DeliveryKey, DeliveryMessage } from "./delivery.ts";
import { hasArrived, isGone } from "./webhook-moves.ts";

/** A delivery is tried so often, over about nine hours, and then given up. */
export const maxDeliveryAttempts = 12;
const firstDelayMs = 5_000;
const longestDelayMs = 2 * 3_600_000;
/** A delivery that was not moved this long after it was due has lost its message. */
const lostAfterSeconds = 90;

type NewDelivery = Omit<
  Delivery,
  "v" | "revision" | "messageId" | "state" | "attempts" | "lookAtEpochSeconds"
>;

/** A delivery that nobody has tried yet; due at once. */
export const openedDelivery = (delivery: NewDelivery, nowEpochMs: number): Delivery =>
  pending({ ...delivery, v: 1, revision: 0, messageId: messageIdOf(delivery), attempts: [] }, nowEpochMs);

const pending = (delivery: Omit<Delivery, "state">, dueAtEpochMs: number): Delivery => ({
  ...delivery,
  state: { kind: "pending", dueAtEpochMs },
  lookAtEpochSeconds: Math.ceil(dueAtEpochMs / 1000) + lostAfterSeconds,
});

/** The same for the same delivery, whoever opens it. */
const messageIdOf = ({ tenant, listener, webhookId, planId, run, sequence }: NewDelivery): string => {
  const named = JSON.stringify([tenant, listener, webhookId, planId, run, sequence]);
  return `msg_${createHash("sha256").update(named).digest("base64url").slice(0, 27)}`;
};

/** After an attempt: delivered, to be tried again after a jittered and growing delay, or given up. `random` is in [0, 1). */
export const afterAttempt = (
  delivery: Delivery,
  attempt: DeliveryAttempt,
  { random }: { readonly random: number },
): Delivery => {
  const { state: _, lookAtEpochSeconds: __, ...rest } = delivery;
  const next = { ...rest, revision: delivery.revision + 1, attempts: [...delivery.attempts, attempt] };
  if (hasArrived(attempt.outcome)) return { ...next, state: { kind: "delivered" } };
  if (isGone(attempt.outcome) || next.attempts.length >= maxDeliveryAttempts) {
    return { ...next, state: { kind: "given_up" } };
  }
  const grown = Math.min(longestDelayMs, firstDelayMs * 3 ** (next.attempts.length - 1));
  // Half of it is spread, so that what failed together is not tried together again.
  const delayMs = grown / 2 + (grown / 2) * random;
  return pending(next, attempt.atEpochMs + attempt.durationMs + Math.ceil(delayMs));
};

/** Nobody wants it any more. */
export const droppedDelivery = (delivery: Delivery, reason: string): Delivery => {
  const { lookAtEpochSeconds: _, ...rest } = delivery;
  return { ...rest, revision: delivery.revision + 1, state: { kind: "dropped", reason } };
};

/** The reconciler has sent its message once more. */
export const lookedAt = (delivery: Delivery, nowEpochMs: number): Delivery => ({
  ...delivery,
  revision: delivery.revision + 1,
  lookAtEpochSeconds:
    Math.ceil(Math.max(nowEpochMs, dueAtEpochMs(delivery) ?? nowEpochMs) / 1000) + lostAfterSeconds,
});

/** When a pending delivery is due; `undefined` for one that is over. */
export const dueAtEpochMs = ({ state }: Delivery): number | undefined =>
  state.kind === "pending" ? state.dueAtEpochMs : undefined;

export const messageOf = (delivery: Delivery): DeliveryMessage => {
  const { tenant, listener, atEpochSeconds, planId, sequence, attempts } = delivery;
  return { v: 1, tenant, listener, atEpochSeconds, planId, sequence, attempt: attempts.length };
};

export const keyOf = ({ tenant, listener, atEpochSeconds, planId, sequence }: DeliveryKey): DeliveryKey => ({
  tenant,
  listener,
  atEpochSeconds,
  planId,
  sequence,
});
