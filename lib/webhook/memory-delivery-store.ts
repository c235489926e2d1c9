import type { Delivery, DeliveryKey } from "./delivery.ts";
import { keyOf } from "./delivery-moves.ts";
import type { DeliveryStore } from "./delivery-store.ts";

/** Deliveries in this process's memory, for tests. */
export const memoryDeliveryStore = (): DeliveryStore => {
  const deliveries = new Map<string, Delivery>();
  const name = (key: DeliveryKey): string => JSON.stringify(keyOf(key));
  const place = ({ atEpochSeconds, planId, sequence }: DeliveryKey): string =>
    `${String(atEpochSeconds).padStart(10, "0")}#${planId}#${String(sequence).padStart(10, "0")}`;
  return {
    async open(delivery) {
      if (deliveries.has(name(delivery))) return false;
      deliveries.set(name(delivery), structuredClone(delivery));
      return true;
    },
    get: async (key) => structuredClone(deliveries.get(name(key))),
    async move(next) {
      if (deliveries.get(name(next))?.revision !== next.revision - 1) return false;
      deliveries.set(name(next), structuredClone(next));
      return true;
    },
    async list({ tenant, listener, limit, cursor }) {
      const own = [...deliveries.values()]
        .filter((delivery) => delivery.tenant === tenant && delivery.listener === listener)
        .filter((delivery) => cursor === undefined || place(delivery) < cursor)
        .sort((one, other) => (place(one) < place(other) ? 1 : -1));
      const page = own.slice(0, limit);
      const last = page.at(-1);
      return {
        deliveries: structuredClone(page),
        ...(own.length > page.length && last !== undefined ? { cursor: place(last) } : {}),
      };
    },
    async due({ nowEpochSeconds, limit }) {
      return [...deliveries.values()]
        .filter(
          ({ lookAtEpochSeconds }) =>
            lookAtEpochSeconds !== undefined && lookAtEpochSeconds <= nowEpochSeconds,
        )
        .slice(0, limit)
        .map(keyOf);
    },
  };
};
