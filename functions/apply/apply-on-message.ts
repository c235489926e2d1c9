import type { Log } from "#lib/log/log.ts";
import { parseHint } from "#lib/run/parse-hint.ts";
import type { RunKey } from "#lib/run/run-store.ts";
import type { ApplyPorts } from "#lib/service/apply-ports.ts";
import { buryApply, type PerformedApply, performApply } from "#lib/service/perform-apply.ts";
import type { QueueMessage } from "../queue-function.ts";

/** What the worker does with a message: carries out what the run's frontier says. Throws when it must come again. */
export const applyOnMessage =
  (ports: ApplyPorts) =>
  async (message: QueueMessage): Promise<void> => {
    const key = parseHint(message.body);
    const startedAtMs = ports.clock.now();
    logApply(
      ports.log,
      key,
      { event: "apply_performed", performed: await performApply(ports, key) },
      {
        receiveCount: message.receiveCount,
        durationMs: ports.clock.now() - startedAtMs,
      },
    );
  };

/** What the dead-letter consumer does. What is no message is logged and let go: nobody can ever read it. */
export const buryApplyMessage =
  (ports: ApplyPorts) =>
  async (message: QueueMessage): Promise<void> => {
    const key = keyOrNothing(message.body);
    if (key === undefined) {
      ports.log.write({
        level: "error",
        event: "dead_letter_unreadable",
        messageId: message.messageId,
        metrics: { deadLetters: 1 },
      });
      return;
    }
    const performed = await buryApply(ports, { key, receiveCount: message.receiveCount });
    logApply(
      ports.log,
      key,
      { event: "apply_dead_letter", performed },
      { receiveCount: message.receiveCount },
    );
  };

const logApply = (
  log: Log,
  { tenant, planId, run }: RunKey,
  { event, performed }: { readonly event: string; readonly performed: PerformedApply },
  counted: Readonly<Record<string, number>>,
): void => {
  const outcome = performed.kind === "ended" ? performed.outcome : undefined;
  log.write({
    level: outcome?.status === "failed" ? "warn" : "info",
    event,
    tenant,
    planId,
    run,
    outcome: outcome?.status ?? performed.kind,
    ...(outcome?.status === "failed" ? { code: outcome.code } : {}),
    ...counted,
    metrics: {
      appliesLanded: outcome?.status === "applied" ? 1 : 0,
      appliesRefused: outcome !== undefined && outcome.status !== "applied" ? 1 : 0,
      deadLetters: event === "apply_dead_letter" ? 1 : 0,
    },
  });
};

const keyOrNothing = (body: string): RunKey | undefined => {
  try {
    return parseHint(body);
  } catch {
    return undefined;
  }
};
