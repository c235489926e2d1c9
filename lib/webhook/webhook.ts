import type { Phase } from "../run/phase.ts";

/** What deliveries are signed with: a secret of the operator's by its name, or one that the service made. */
export type WebhookSecret =
  | { readonly kind: "named"; readonly name: string }
  | {
      readonly kind: "generated";
      /** `whsec_` and base64. */
      readonly text: string;
      /** The one that it replaced: deliveries are signed with both for a while. */
      readonly former?: { readonly text: string; readonly untilEpochMs: number };
    };

/** Where a tenant wants to be told of the phases of its plans. */
export interface Webhook {
  readonly id: string;
  readonly name: string;
  readonly url: string;
  /** In the order of the phases. */
  readonly phases: readonly Phase[];
  readonly secret: WebhookSecret;
  readonly createdBy: string;
  readonly createdAtEpochMs: number;
  /** What came before is not told. */
  readonly listensSinceEpochMs: number;
  /** The first failure since the last delivery that arrived. */
  readonly failingSinceEpochMs?: number;
  readonly disabled?: { readonly atEpochMs: number; readonly reason: string };
}

/** All webhooks of a tenant: few, and always read together. Revisions count from 1. */
export interface WebhookList {
  readonly v: 1;
  readonly tenant: string;
  readonly revision: number;
  readonly webhooks: readonly Webhook[];
}

/** How many a tenant may have. */
export const maxWebhooks = 20;

export const noWebhooks = (tenant: string): WebhookList => ({ v: 1, tenant, revision: 0, webhooks: [] });

export const isListening = ({ disabled }: Webhook): boolean => disabled === undefined;
