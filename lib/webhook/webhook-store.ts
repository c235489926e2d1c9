import type { WebhookList } from "./webhook.ts";

/** The webhooks of tenants. Reads are strongly consistent. */
export interface WebhookStore {
  /** `noWebhooks` where there never was one. */
  read(tenant: string): Promise<WebhookList>;
  /** Whether one of the tenant's webhooks is not disabled: as cheap as a read can be. */
  listens(tenant: string): Promise<boolean>;
  /**
   * Writes if the revision still is `next.revision - 1` (0: there is none); `false` when somebody else was first. A write whose
   * answer was lost and which is sent again is known as the same.
   */
  write(next: WebhookList): Promise<boolean>;
}
