import type { Clock } from "../run/clock.ts";
import { dueAtEpochMs, lookedAt, messageOf } from "./delivery-moves.ts";
import type { DeliveryQueue, DeliveryStore } from "./delivery-store.ts";

/** As many a round; the rest is due in the next one. */
const limit = 1_000;
const longestDelaySeconds = 900;

/**
 * Sends the messages of pending deliveries that were lost: of those to be looked at by `dueByEpochSeconds` (now, for the
 * schedule; any late time at the start of the embedded service, whose queue may have been in memory). Answers how many.
 */
export const reconcileDeliveries = async (
  { dueByEpochSeconds }: { readonly dueByEpochSeconds: number },
  ports: {
    readonly deliveries: Pick<DeliveryStore, "due" | "get" | "move">;
    readonly queue: DeliveryQueue;
    readonly clock: Clock;
  },
): Promise<{ readonly messages: number }> => {
  let messages = 0;
  for (const key of await ports.deliveries.due({ nowEpochSeconds: dueByEpochSeconds, limit })) {
    const delivery = await ports.deliveries.get(key);
    const dueMs = delivery === undefined ? undefined : dueAtEpochMs(delivery);
    if (delivery === undefined || dueMs === undefined) continue;
    if ((delivery.lookAtEpochSeconds ?? 0) > dueByEpochSeconds) continue;
    const nowEpochMs = ports.clock.now();
    const seconds = Math.ceil((dueMs - nowEpochMs) / 1000);
    await ports.queue.send(messageOf(delivery), {
      delaySeconds: Math.min(longestDelaySeconds, Math.max(0, seconds)),
    });
    messages += 1;
    // Losing this race means that somebody delivers it.
    await ports.deliveries.move(lookedAt(delivery, nowEpochMs));
  }
  return { messages };
};
