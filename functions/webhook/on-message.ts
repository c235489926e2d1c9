import { ValidationError } from "#lib/errors/planledger-error.ts";
import type { Log } from "#lib/log/log.ts";
import { parseHint } from "#lib/run/parse-hint.ts";
import { type AnnouncePhasesPorts, announcePhases } from "#lib/webhook/announce-phases.ts";
import { type DeliverPorts, deliverPhase } from "#lib/webhook/deliver-phase.ts";
import { parseDeliveryMessage } from "#lib/webhook/parse-delivery-message.ts";
import type { QueueMessage } from "../queue-function.ts";

/** Opens the deliveries of what a run's outbox holds. What is no hint is logged and let go: nobody can ever read it. */
export const announceOnMessage =
  (ports: AnnouncePhasesPorts, log: Log) =>
  async (message: QueueMessage): Promise<void> => {
    const hint = readable(message, log, () => parseHint(message.body));
    if (hint === undefined) return;
    const { tenant, planId, run } = hint;
    const { opened } = await announcePhases(ports, hint);
    log.write({ level: "info", event: "phases_announced", tenant, planId, run, messages: opened });
  };

/** Makes one attempt at a delivery. */
export const deliverOnMessage =
  (ports: DeliverPorts, log: Log) =>
  async (message: QueueMessage): Promise<void> => {
    const asked = readable(message, log, () => parseDeliveryMessage(message.body));
    if (asked === undefined) return;
    const { tenant, planId } = asked;
    const delivered = await deliverPhase(ports, asked);
    if (delivered.kind === "nothing_to_do" || delivered.kind === "early") return;
    const tried = delivered.kind === "tried" ? delivered : undefined;
    const arrived = tried?.state.kind === "delivered";
    log.write({
      level: arrived ? "info" : "warn",
      event: "phase_delivery",
      tenant,
      planId,
      outcome: tried?.state.kind ?? delivered.kind,
      attempt: tried?.attempt,
      ...(tried?.outcome.kind === "answered" ? { status: tried.outcome.status } : {}),
      ...(tried?.outcome.kind === "failed" ? { code: tried.outcome.code } : {}),
    });
    if (tried?.disabled !== undefined) log.write({ level: "warn", event: "webhook_disabled", tenant });
  };

const readable = <Read>(message: QueueMessage, log: Log, read: () => Read): Read | undefined => {
  try {
    return read();
  } catch (error) {
    if (!(error instanceof ValidationError)) throw error;
    log.write({ level: "error", event: "message_unreadable", messageId: message.messageId });
    return undefined;
  }
};
