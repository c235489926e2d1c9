import type { Hint, HintQueue } from "./run-store.ts";

/** A message as a queue holds it. Invisible until `visibleAtEpochMs`: delayed, or received and not yet deleted. */
export interface QueuedHint {
  readonly id: number;
  readonly hint: Hint;
  visibleAtEpochMs: number;
  receiveCount: number;
}

/** A standard queue: at least once, in any order. `now` is the simulation's clock. */
export interface SimulatedQueue extends HintQueue {
  readonly messages: readonly QueuedHint[];
  visible(): readonly QueuedHint[];
  receive(message: QueuedHint): void;
  delete(message: QueuedHint): void;
  /** The same message once more, as standard queues may deliver. */
  duplicate(message: QueuedHint): void;
}

const visibilityTimeoutMs = 360_000;

export function simulatedQueue(now: () => number): SimulatedQueue {
  const messages: QueuedHint[] = [];
  let ids = 0;
  const add = (hint: Hint, visibleAtEpochMs: number, receiveCount: number): void => {
    ids += 1;
    messages.push({ id: ids, hint, visibleAtEpochMs, receiveCount });
  };
  return {
    messages,
    async send(hint, { delaySeconds = 0 } = {}) {
      add(hint, now() + delaySeconds * 1000, 0);
    },
    visible: () => messages.filter((message) => message.visibleAtEpochMs <= now()),
    receive(message) {
      message.visibleAtEpochMs = now() + visibilityTimeoutMs;
      message.receiveCount += 1;
    },
    delete(message) {
      const index = messages.indexOf(message);
      if (index >= 0) {
        messages.splice(index, 1);
      }
    },
    duplicate(message) {
      add(message.hint, now(), message.receiveCount);
    },
  };
}
