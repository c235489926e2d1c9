import type { Clock } from "../run/clock.ts";
import type { Frontier } from "../run/frontier.ts";
import { isAtRest, type PhaseChange, toldUpTo, untoldChanges } from "../run/phase-change.ts";
import type { FrontierStore, RunKey } from "../run/run-store.ts";
import { busListener } from "./delivery.ts";
import { messageOf, openedDelivery } from "./delivery-moves.ts";
import type { DeliveryQueue, DeliveryStore } from "./delivery-store.ts";
import { phaseBody, phaseMessage } from "./phase-message.ts";
import { isListening, type Webhook } from "./webhook.ts";
import type { WebhookStore } from "./webhook-store.ts";

export interface AnnouncePhasesPorts {
  /** As it is: who tells phases brings none. */
  readonly frontiers: Pick<FrontierStore, "read" | "move">;
  readonly webhooks: Pick<WebhookStore, "read">;
  readonly deliveries: Pick<DeliveryStore, "open">;
  readonly queue: DeliveryQueue;
  /** Whether the service's event bus is told of every phase. */
  readonly hasBus: boolean;
  readonly clock: Clock;
}

/** Clocks of two functions may differ by so much. */
const clockSkewMs = 5_000;

/**
 * Opens a delivery of each change in a run's outbox to everybody who listens to it, and sends it on its way; then, where the
 * run is at rest, empties the outbox. Any number of times, at any time, at the same time, does no harm: deliveries are opened
 * once. One whose message was lost is found by its time (`reconcileDeliveries`). Answers how many were opened.
 */
export const announcePhases = async (
  ports: AnnouncePhasesPorts,
  key: RunKey,
): Promise<{ readonly opened: number }> => {
  const frontier = await ports.frontiers.read(key);
  const changes = frontier === undefined ? [] : untoldChanges(frontier);
  const last = changes.at(-1);
  if (frontier === undefined || last === undefined) return { opened: 0 };
  const { webhooks } = await ports.webhooks.read(frontier.tenant);
  let opened = 0;
  for (const change of changes) {
    for (const listener of listenersOf(change, webhooks, ports.hasBus)) {
      opened += (await announced(ports, { frontier, change, ...listener })) ? 1 : 0;
    }
  }
  // Should somebody be faster, what they wrote is announced again, and then emptied.
  if (isAtRest(frontier)) await ports.frontiers.move(toldUpTo(frontier, last.sequence));
  return { opened };
};

interface Listener {
  readonly listener: string;
  readonly webhookId: string;
}

const listenersOf = (
  { phase, atEpochMs }: PhaseChange,
  webhooks: readonly Webhook[],
  hasBus: boolean,
): readonly Listener[] => [
  ...(hasBus ? [{ listener: busListener, webhookId: "" }] : []),
  ...webhooks
    .filter(isListening)
    .filter(({ phases }) => phases.includes(phase))
    .filter(({ listensSinceEpochMs }) => atEpochMs + clockSkewMs >= listensSinceEpochMs)
    .map(({ name, id }) => ({ listener: name, webhookId: id })),
];

const announced = async (
  ports: AnnouncePhasesPorts,
  told: Listener & { readonly frontier: Frontier; readonly change: PhaseChange },
): Promise<boolean> => {
  const { frontier, change, listener, webhookId } = told;
  const message = phaseMessage(frontier, change);
  const { tenant, planId, run, sequence } = message;
  const delivery = openedDelivery(
    {
      ...{ tenant, listener, webhookId, planId, run, sequence },
      phase: change.phase,
      atEpochSeconds: Math.floor(change.atEpochMs / 1000),
      body: listener === busListener ? JSON.stringify(message) : phaseBody(message),
    },
    ports.clock.now(),
  );
  if (!(await ports.deliveries.open(delivery))) return false;
  await ports.queue.send(messageOf(delivery));
  return true;
};
