import type { RuntimeEvent, RuntimeEventCallback } from "./runtime-event.ts";
import type { RuntimeLogger } from "./runtime-logger.ts";

/**
 * Hands events to a caller's callback so that nothing it does can end the run (R27): what it throws, or what its promise
 * rejects with, is logged. A logger that throws is the last thing anybody listens to, and is ignored.
 */
export function guardedCallback(
  onEvent: RuntimeEventCallback | undefined,
  logger: RuntimeLogger,
): (event: RuntimeEvent) => void {
  const log = (event: RuntimeEvent, error: unknown) => {
    try {
      const { type, planId, seq } = event;
      logger.error(`The event callback failed at ${type}; the run goes on.`, { planId, seq, type, error });
    } catch {
      // Nobody is left to tell.
    }
  };
  return (event) => {
    try {
      Promise.resolve(onEvent?.(event)).catch((error: unknown) => log(event, error));
    } catch (error) {
      log(event, error);
    }
  };
}
