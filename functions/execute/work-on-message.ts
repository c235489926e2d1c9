import type { Log } from "#lib/log/log.ts";
import { advanceRun } from "#lib/run/advance-run.ts";
import { deadLetter } from "#lib/run/dead-letter.ts";
import { parseHint } from "#lib/run/parse-hint.ts";
import type { RunPorts } from "#lib/run/run-ports.ts";
import type { HintQueue } from "#lib/run/run-store.ts";
import { hintOf } from "#lib/run/watch-hint.ts";
import type { QueueMessage } from "../queue-function.ts";

/**
 * What the worker does with a hint: moves its run on, and sends the apply that follows an end by itself (the reconciler does,
 * should that be lost). Throws when the message must come again.
 */
export const workOnMessage =
  (ports: RunPorts & { readonly applies: HintQueue }, log: Log) =>
  async (message: QueueMessage): Promise<void> => {
    const hint = parseHint(message.body);
    const startedAtMs = ports.clock.now();
    const outcome = await advanceRun(
      {
        hint,
        receiveCount: message.receiveCount,
        get deadlineEpochMs() {
          return ports.clock.now() + message.remainingMs();
        },
      },
      ports,
    );
    if (outcome.kind === "ended" && outcome.frontier.autoApply !== undefined) {
      await ports.applies.send(hintOf(outcome.frontier));
    }
    log.write({
      level: "info",
      event: "run_advanced",
      tenant: hint.tenant,
      planId: hint.planId,
      run: hint.run,
      outcome: outcome.kind,
      ...("frontier" in outcome ? { position: outcome.frontier.position } : {}),
      receiveCount: message.receiveCount,
      durationMs: ports.clock.now() - startedAtMs,
      metrics: {
        ...(message.sentAtEpochMs === undefined
          ? {}
          : { messageAgeMs: Math.max(0, startedAtMs - message.sentAtEpochMs) }),
      },
    });
  };

/** What the dead-letter consumer does. What is no hint is logged and let go: nobody can ever read it. */
export const buryMessage =
  (ports: RunPorts, log: Log) =>
  async (message: QueueMessage): Promise<void> => {
    const hint = hintOrNothing(message.body);
    if (hint === undefined) {
      log.write({
        level: "error",
        event: "dead_letter_unreadable",
        messageId: message.messageId,
        metrics: { deadLetters: 1 },
      });
      return;
    }
    const { kind } = await deadLetter(hint, ports);
    log.write({
      level: "warn",
      event: "dead_letter",
      tenant: hint.tenant,
      planId: hint.planId,
      run: hint.run,
      outcome: kind,
      metrics: { deadLetters: 1 },
    });
  };

const hintOrNothing = (body: string) => {
  try {
    return parseHint(body);
  } catch {
    return undefined;
  }
};
