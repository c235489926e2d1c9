import type { Phase } from "../run/phase.ts";

/** The listener that is the service's event bus; no webhook's name begins so. */
export const busListener = "@bus";

/** One change of phase for one listener: there is one delivery of it, however often it is announced. */
export interface DeliveryKey {
  readonly tenant: string;
  /** A webhook's name, or the bus. */
  readonly listener: string;
  readonly atEpochSeconds: number;
  readonly planId: string;
  readonly sequence: number;
}

/** What came of an attempt. An answer counts by its status alone. */
export type AttemptOutcome =
  | { readonly kind: "answered"; readonly status: number }
  | { readonly kind: "failed"; readonly code: string; readonly message: string };

export interface DeliveryAttempt {
  readonly atEpochMs: number;
  readonly durationMs: number;
  readonly outcome: AttemptOutcome;
}

export type DeliveryState =
  | { readonly kind: "pending"; readonly dueAtEpochMs: number }
  | { readonly kind: "delivered" }
  /** It was tried as often as anything is. */
  | { readonly kind: "given_up" }
  /** Nobody wants it any more. */
  | { readonly kind: "dropped"; readonly reason: string };

/** A delivery, with every attempt at it. */
export interface Delivery extends DeliveryKey {
  readonly v: 1;
  readonly revision: number;
  /** Of the webhook for which it was opened, empty for the bus: one of that name that is made later does not get it. */
  readonly webhookId: string;
  /** Names the message to its receiver, the same in every attempt. */
  readonly messageId: string;
  readonly run: number;
  readonly phase: Phase;
  /** What is sent, byte for byte. */
  readonly body: string;
  readonly state: DeliveryState;
  readonly attempts: readonly DeliveryAttempt[];
  /** When the reconciler looks at it, should it be pending still; later than it is due. */
  readonly lookAtEpochSeconds?: number;
}

/** "Try this delivery, if so many attempts at it were made": a hint, never a fact. */
export interface DeliveryMessage extends DeliveryKey {
  readonly v: 1;
  readonly attempt: number;
}
