import type { Delivery, DeliveryKey, DeliveryMessage } from "./delivery.ts";

/** Deliveries, each under its key. Reads are strongly consistent but for `due`. */
export interface DeliveryStore {
  /** Writes if there is none under its key; `false` otherwise. */
  open(delivery: Delivery): Promise<boolean>;
  get(key: DeliveryKey): Promise<Delivery | undefined>;
  /** Overwrites if the revision still is `next.revision - 1`; `false` when somebody else was first. */
  move(next: Delivery): Promise<boolean>;
  /** Those to one listener, newest first. */
  list(query: {
    readonly tenant: string;
    readonly listener: string;
    readonly limit: number;
    readonly cursor?: string;
  }): Promise<{ readonly deliveries: readonly Delivery[]; readonly cursor?: string }>;
  /** Those of all tenants that somebody should look at by now, at most `limit`; it may be behind by a moment. */
  due(query: { readonly nowEpochSeconds: number; readonly limit: number }): Promise<readonly DeliveryKey[]>;
}

/** Hints on their way to whoever delivers. */
export interface DeliveryQueue {
  send(message: DeliveryMessage, options?: { readonly delaySeconds?: number }): Promise<void>;
}
