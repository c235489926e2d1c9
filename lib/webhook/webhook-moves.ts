import { ValidationError } from "../errors/planledger-error.ts";
import { phases as allPhases, type Phase } from "../run/phase.ts";
import type { AttemptOutcome } from "./delivery.ts";
import { maxWebhooks, type Webhook, type WebhookList, type WebhookSecret } from "./webhook.ts";

/** Deliveries that fail for so long, without one that arrives, disable their webhook. */
export const disabledAfterMs = 24 * 3_600_000;
/** For so long deliveries are signed with the secret that was replaced, too. */
const formerSecretMs = 24 * 3_600_000;
const goneStatus = 410;

export interface WebhookOrder {
  readonly name: string;
  readonly url: string;
  /** All of them without it. */
  readonly phases?: readonly Phase[] | undefined;
  /** `generate`: another one; without it the secret stays, or is made for a new webhook. */
  readonly secret?:
    | { readonly kind: "named"; readonly name: string }
    | { readonly kind: "generate" }
    | undefined;
  readonly by: string;
  readonly nowEpochMs: number;
  /** Of a webhook that is new. */
  readonly newId: string;
  /** Of a secret that is to be made: `whsec_` and base64. */
  readonly newSecret: string;
}

export interface SavedWebhook {
  readonly list: WebhookList;
  readonly webhook: Webhook;
  readonly created: boolean;
  /** A secret that was made, told this once. */
  readonly madeSecret?: string;
}

/** The list with a webhook as it is now wanted: made, or changed and, where it was disabled, let go on. */
export const savedWebhook = (list: WebhookList, order: WebhookOrder): SavedWebhook => {
  const { name, url, by, nowEpochMs } = order;
  const standing = list.webhooks.find((webhook) => webhook.name === name);
  if (standing === undefined && list.webhooks.length >= maxWebhooks) throw tooMany();
  const secret = secretAfter(standing?.secret, order);
  const wanted = order.phases ?? allPhases;
  const webhook: Webhook = {
    id: standing?.id ?? order.newId,
    name,
    url,
    phases: allPhases.filter((phase) => wanted.includes(phase)),
    secret,
    createdBy: standing?.createdBy ?? by,
    createdAtEpochMs: standing?.createdAtEpochMs ?? nowEpochMs,
    listensSinceEpochMs:
      standing === undefined || standing.disabled !== undefined ? nowEpochMs : standing.listensSinceEpochMs,
  };
  const made = secret !== standing?.secret && secret.kind === "generated" ? secret.text : undefined;
  return {
    list: withWebhook(list, webhook),
    webhook,
    created: standing === undefined,
    ...(made === undefined ? {} : { madeSecret: made }),
  };
};

const tooMany = (): ValidationError =>
  new ValidationError({
    code: "limit_exceeded",
    field: "name",
    message: `There are ${maxWebhooks} webhooks already, and more a tenant may not have. Delete one, or change one of them.`,
    details: { limit: maxWebhooks },
  });

const secretAfter = (standing: WebhookSecret | undefined, order: WebhookOrder): WebhookSecret => {
  const { secret, newSecret: text, nowEpochMs } = order;
  if (secret?.kind === "named") return secret;
  if (secret === undefined && standing !== undefined) return standing;
  const former =
    standing?.kind === "generated"
      ? { former: { text: standing.text, untilEpochMs: nowEpochMs + formerSecretMs } }
      : {};
  return { kind: "generated", text, ...former };
};

/** `undefined`: there is none of that name. */
export const withoutWebhook = (list: WebhookList, name: string): WebhookList | undefined => {
  const webhooks = list.webhooks.filter((webhook) => webhook.name !== name);
  return webhooks.length === list.webhooks.length
    ? undefined
    : { ...list, revision: list.revision + 1, webhooks };
};

const withWebhook = (list: WebhookList, webhook: Webhook): WebhookList => ({
  ...list,
  revision: list.revision + 1,
  webhooks: [...list.webhooks.filter(({ name }) => name !== webhook.name), webhook].sort((one, other) =>
    one.name < other.name ? -1 : 1,
  ),
});

export const hasArrived = (outcome: AttemptOutcome): boolean =>
  outcome.kind === "answered" && outcome.status >= 200 && outcome.status < 300;

export const isGone = (outcome: AttemptOutcome): boolean =>
  outcome.kind === "answered" && outcome.status === goneStatus;

/**
 * The list after an attempt at one of its webhooks; `undefined` where nothing has changed, as after most. The first failure
 * after a success is remembered, a day of nothing but failures disables the webhook, and an answer of 410 does at once.
 */
export const listAfterAttempt = (
  list: WebhookList,
  {
    webhookId,
    outcome,
    nowEpochMs,
  }: { readonly webhookId: string; readonly outcome: AttemptOutcome; readonly nowEpochMs: number },
): WebhookList | undefined => {
  const webhook = list.webhooks.find(({ id }) => id === webhookId);
  if (webhook === undefined || webhook.disabled !== undefined) return undefined;
  const { failingSinceEpochMs: since, ...healthy } = webhook;
  if (hasArrived(outcome)) return since === undefined ? undefined : withWebhook(list, healthy);
  if (isGone(outcome)) {
    const reason = "The receiver answered 410 Gone: it wants no more deliveries.";
    return withWebhook(list, { ...webhook, disabled: { atEpochMs: nowEpochMs, reason } });
  }
  if (since === undefined) return withWebhook(list, { ...webhook, failingSinceEpochMs: nowEpochMs });
  if (nowEpochMs - since < disabledAfterMs) return undefined;
  const reason = `Every delivery since ${new Date(since).toISOString()} has failed; at last ${outcomeText(outcome)}.`;
  return withWebhook(list, { ...webhook, disabled: { atEpochMs: nowEpochMs, reason } });
};

const outcomeText = (outcome: AttemptOutcome): string =>
  outcome.kind === "answered"
    ? `the receiver answered ${outcome.status}`
    : outcome.message.replace(/\.$/, "");
