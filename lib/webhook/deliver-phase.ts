import { InfrastructureError, PlanledgerError } from "../errors/planledger-error.ts";
import type { Clock } from "../run/clock.ts";
import type { SecretStore } from "../secrets/secret-store.ts";
import {
  type AttemptOutcome,
  busListener,
  type Delivery,
  type DeliveryMessage,
  type DeliveryState,
} from "./delivery.ts";
import { afterAttempt, droppedDelivery, dueAtEpochMs, messageOf } from "./delivery-moves.ts";
import type { DeliveryQueue, DeliveryStore } from "./delivery-store.ts";
import { isSigningSecret, noSigningSecret, secretBytes, signedHeaders } from "./signed-headers.ts";
import type { Webhook } from "./webhook.ts";
import { listAfterAttempt } from "./webhook-moves.ts";
import type { WebhookStore } from "./webhook-store.ts";

/** Sends a body to a receiver and tells how it answered. Never throws for what the receiver or the way to it does. */
export type PostWebhook = (request: {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}) => Promise<AttemptOutcome>;

/** Puts the detail of a phase message onto the service's event bus. */
export type PutPhaseEvent = (event: {
  readonly detail: string;
  readonly atEpochSeconds: number;
}) => Promise<AttemptOutcome>;

export interface DeliverPorts {
  readonly webhooks: Pick<WebhookStore, "read" | "write">;
  readonly deliveries: Pick<DeliveryStore, "get" | "move">;
  readonly queue: DeliveryQueue;
  readonly post: PostWebhook;
  readonly putEvent: PutPhaseEvent | undefined;
  readonly secrets: SecretStore;
  readonly clock: Clock;
  /** In [0, 1). */
  readonly random: () => number;
}

export type DeliverOutcome =
  | { readonly kind: "nothing_to_do" }
  /** It is not due yet; its message was sent on. */
  | { readonly kind: "early" }
  | {
      readonly kind: "tried";
      readonly outcome: AttemptOutcome;
      readonly state: DeliveryState;
      readonly attempt: number;
      /** Its webhook was disabled by this, for this reason. */
      readonly disabled?: string;
    }
  | { readonly kind: "dropped"; readonly reason: string };

/** What SQS delays by at most; what is due later is sent on once more. */
const longestDelaySeconds = 900;
const earlyToleranceMs = 1_000;
const maxWriteAttempts = 10;

/**
 * Makes one attempt at a delivery and records it. A message of an attempt that was recorded already does nothing; two that come
 * at once may both send, under one message id. A worker that dies in between sends again. Throws `InfrastructureError` for an
 * outage of ours: then the message must come again.
 */
export const deliverPhase = async (
  ports: DeliverPorts,
  message: DeliveryMessage,
): Promise<DeliverOutcome> => {
  const delivery = await ports.deliveries.get(message);
  const dueMs = delivery === undefined ? undefined : dueAtEpochMs(delivery);
  if (delivery === undefined || dueMs === undefined || delivery.attempts.length !== message.attempt) {
    return { kind: "nothing_to_do" };
  }
  const startedAtEpochMs = ports.clock.now();
  if (dueMs > startedAtEpochMs + earlyToleranceMs) {
    await sendDue(ports, delivery, dueMs);
    return { kind: "early" };
  }
  const send = await senderOf(ports, delivery);
  if (typeof send === "string") {
    await ports.deliveries.move(droppedDelivery(delivery, send));
    return { kind: "dropped", reason: send };
  }
  const outcome = await send(startedAtEpochMs);
  const nowEpochMs = ports.clock.now();
  const attempt = { atEpochMs: startedAtEpochMs, durationMs: nowEpochMs - startedAtEpochMs, outcome };
  const next = afterAttempt(delivery, attempt, { random: ports.random() });
  if (!(await ports.deliveries.move(next))) return { kind: "nothing_to_do" };
  const disabled = await recordHealth(ports, delivery, { outcome, nowEpochMs });
  const nextDueMs = dueAtEpochMs(next);
  if (nextDueMs !== undefined) await sendDue(ports, next, nextDueMs);
  return {
    kind: "tried",
    outcome,
    state: next.state,
    attempt: next.attempts.length,
    ...(disabled === undefined ? {} : { disabled }),
  };
};

const sendDue = (ports: DeliverPorts, delivery: Delivery, dueMs: number): Promise<void> => {
  const seconds = Math.ceil((dueMs - ports.clock.now()) / 1000);
  return ports.queue.send(messageOf(delivery), {
    delaySeconds: Math.min(longestDelaySeconds, Math.max(0, seconds)),
  });
};

type Send = (nowEpochMs: number) => Promise<AttemptOutcome>;

/** What makes the attempt, or why nobody wants it any more. */
const senderOf = async (ports: DeliverPorts, delivery: Delivery): Promise<Send | string> => {
  const { tenant, listener, webhookId, messageId, body, atEpochSeconds } = delivery;
  if (listener === busListener) {
    const { putEvent } = ports;
    if (putEvent === undefined) return "The service has no event bus any more.";
    return () => putEvent({ detail: body, atEpochSeconds });
  }
  const { webhooks } = await ports.webhooks.read(tenant);
  const webhook = webhooks.find(({ id }) => id === webhookId);
  if (webhook === undefined) return "The webhook was deleted.";
  if (webhook.disabled !== undefined) return "The webhook was disabled.";
  return async (nowEpochMs) => {
    const secrets = await signingSecrets(ports, { tenant, webhook, nowEpochMs });
    if ("kind" in secrets) return secrets;
    const headers = {
      "content-type": "application/json",
      "user-agent": "Planledger",
      ...signedHeaders({ id: messageId, body, sentAtEpochMs: nowEpochMs }, secrets),
    };
    return ports.post({ url: webhook.url, headers, body });
  };
};

const signingSecrets = async (
  { secrets }: DeliverPorts,
  signed: { readonly tenant: string; readonly webhook: Webhook; readonly nowEpochMs: number },
): Promise<readonly Uint8Array[] | AttemptOutcome> => {
  const { tenant, webhook, nowEpochMs } = signed;
  const { secret } = webhook;
  if (secret.kind === "generated") {
    const { text, former } = secret;
    const isFormerValid = former !== undefined && former.untilEpochMs > nowEpochMs;
    return [text, ...(isFormerValid ? [former.text] : [])].map(secretBytes);
  }
  const { name } = secret;
  try {
    const text = await secrets.get({ tenant, name });
    if (text !== undefined && !isSigningSecret(text)) {
      const message = `Nothing was sent: ${noSigningSecret(name)}.`;
      return { kind: "failed", code: "secret_unavailable", message };
    }
    if (text !== undefined) return [secretBytes(text)];
  } catch (error) {
    if (!(error instanceof PlanledgerError) || error instanceof InfrastructureError) throw error;
    return {
      kind: "failed",
      code: error.code,
      message: `The secret ${name} cannot be read; nothing was sent.`,
    };
  }
  const message = `This tenant has no secret ${name}; nothing was sent.`;
  return { kind: "failed", code: "secret_missing", message };
};

/** Answers the reason where this attempt disabled the webhook. */
const recordHealth = async (
  { webhooks }: DeliverPorts,
  { tenant, listener, webhookId }: Delivery,
  tried: { readonly outcome: AttemptOutcome; readonly nowEpochMs: number },
): Promise<string | undefined> => {
  if (listener === busListener) return undefined;
  for (let attempt = 0; attempt < maxWriteAttempts; attempt += 1) {
    const next = listAfterAttempt(await webhooks.read(tenant), { webhookId, ...tried });
    if (next === undefined) return undefined;
    if (await webhooks.write(next)) return next.webhooks.find(({ id }) => id === webhookId)?.disabled?.reason;
  }
  // Others write all the time, so others see how the webhook is.
  return undefined;
};
