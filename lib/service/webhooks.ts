import * as z from "zod/mini";
import type { Caller } from "../access/caller.ts";
import type { SecretSource } from "../access/issue-token.ts";
import { secretReferencePattern, webhookName, type webhookRequest } from "../api/webhook-requests.ts";
import { InfrastructureError, NotFoundError, ValidationError } from "../errors/planledger-error.ts";
import type { AllowedHosts } from "../outbound/allowed-hosts.ts";
import type { Clock, IdSource } from "../run/clock.ts";
import type { SecretStore } from "../secrets/secret-store.ts";
import { isSigningSecret, noSigningSecret, signingSecretOf } from "../webhook/signed-headers.ts";
import type { Webhook, WebhookList } from "../webhook/webhook.ts";
import {
  type SavedWebhook,
  savedWebhook,
  type WebhookOrder,
  withoutWebhook,
} from "../webhook/webhook-moves.ts";
import type { WebhookStore } from "../webhook/webhook-store.ts";
import { webhookUrl } from "../webhook/webhook-url.ts";

export interface WebhookPorts {
  readonly webhooks: Pick<WebhookStore, "read" | "write">;
  readonly namedSecrets: SecretStore;
  readonly allowedHosts: AllowedHosts;
  readonly clock: Clock;
  readonly ids: IdSource;
  readonly secrets: SecretSource;
}

/** Which webhook, and who asks. */
export interface WebhookAddress {
  readonly caller: Caller;
  readonly name: string;
}

/** So many lost races in a row mean that something is wrong. */
const maxAttempts = 20;

/** Makes a webhook or changes it; one that was disabled is told again from now on. */
export const saveWebhook = async (
  ports: WebhookPorts,
  order: WebhookAddress & { readonly request: z.output<typeof webhookRequest> },
): Promise<SavedWebhook> => {
  const { caller, request } = order;
  const name = writtenName(order.name);
  const url = webhookUrl(request.url, ports.allowedHosts);
  const secret = await wantedSecret(ports, caller.tenant, request.secret);
  const wanted: Omit<WebhookOrder, "nowEpochMs"> = {
    ...{ name, url, secret, by: caller.principal },
    phases: request.phases,
    newId: ports.ids.ulid(),
    newSecret: signingSecretOf(ports.secrets.secret()),
  };
  return written(ports, caller.tenant, (list) =>
    savedWebhook(list, { ...wanted, nowEpochMs: ports.clock.now() }),
  );
};

const wantedSecret = async (
  { namedSecrets }: WebhookPorts,
  tenant: string,
  given: string | undefined,
): Promise<WebhookOrder["secret"]> => {
  if (given === undefined) return undefined;
  const name = secretReferencePattern.exec(given)?.[1];
  if (name === undefined) return { kind: "generate" };
  const found = await namedSecrets.get({ tenant, name });
  if (found !== undefined && isSigningSecret(found)) return { kind: "named", name };
  if (found !== undefined) {
    const message = `/secret must name a secret that a receiver can rely on; ${noSigningSecret(name)}. Ask the operator for a longer one, or use 'generate'.`;
    throw new ValidationError({ code: "secret_unavailable", field: "/secret", message });
  }
  throw new ValidationError({
    code: "secret_missing",
    field: "/secret",
    message: `/secret names ${name}, which the operator of the service keeps no secret of this tenant under. Ask for it, or use 'generate'.`,
  });
};

/** Ends a webhook. `not_found` where there is none. */
export const deleteWebhook = async (
  ports: Pick<WebhookPorts, "webhooks">,
  { caller, name }: WebhookAddress,
) =>
  written(ports, caller.tenant, (list) => {
    const without = withoutWebhook(list, name);
    if (without === undefined) throw webhookNotFound(name);
    return { list: without };
  });

export const findWebhook = async (
  { webhooks }: { readonly webhooks: Pick<WebhookStore, "read"> },
  { caller, name }: WebhookAddress,
): Promise<Webhook> => {
  const found = (await webhooks.read(caller.tenant)).webhooks.find((webhook) => webhook.name === name);
  if (found === undefined) throw webhookNotFound(name);
  return found;
};

const written = async <Change extends { readonly list: WebhookList }>(
  { webhooks }: Pick<WebhookPorts, "webhooks">,
  tenant: string,
  change: (list: WebhookList) => Change,
): Promise<Change> => {
  for (let attempt = 0; attempt < maxAttempts; attempt += 1) {
    const changed = change(await webhooks.read(tenant));
    if (await webhooks.write(changed.list)) return changed;
  }
  throw new InfrastructureError({
    message: `The webhooks of this tenant were changed by others ${maxAttempts} times meanwhile. Try again.`,
  });
};

const writtenName = (name: string): string => {
  const parsed = z.safeParse(webhookName, name);
  if (parsed.success) return name;
  throw new ValidationError({
    field: "name",
    message: `The name ${JSON.stringify(name.slice(0, 100))} ${parsed.error.issues[0]?.message ?? "is not valid"}.`,
  });
};

const webhookNotFound = (name: string): NotFoundError =>
  new NotFoundError({
    code: "not_found",
    message: `There is no webhook ${name.slice(0, 100)}.`,
    details: { name: name.slice(0, 100) },
  });
