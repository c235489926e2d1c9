import { retryDelayMs } from "../client/retry.ts";
import { PlanledgerError } from "../errors/planledger-error.ts";

export interface ResendPorts {
  delay(milliseconds: number, signal?: AbortSignal): Promise<void>;
  random(): number;
}

/**
 * Sends a batch, and again what comes back unprocessed (F7), after a jittered pause, for as long as that gets further and
 * six times in a row when it does not. The results stand in the order of what was asked; what is `unprocessed` in the end
 * never was processed.
 */
export async function untilProcessed<Asked, Result extends { readonly status: string }>(
  asked: readonly Asked[],
  send: (batch: readonly Asked[]) => Promise<readonly Result[]>,
  ports: ResendPorts & { readonly signal?: AbortSignal | undefined },
): Promise<readonly (readonly [Asked, Result])[]> {
  const results = new Map<number, Result>();
  let open = asked.map((one, index) => ({ one, index }));
  for (let attempt = 1; open.length > 0; attempt += 1) {
    ports.signal?.throwIfAborted();
    const answers = await send(open.map(({ one }) => one));
    if (answers.length !== open.length) {
      throw new PlanledgerError({
        code: "internal",
        message: `the service answered ${answers.length} results to ${open.length} operations`,
      });
    }
    const answered = open.map((entry, position) => ({ ...entry, answer: answers[position] }));
    for (const { index, answer } of answered) if (answer !== undefined) results.set(index, answer);
    const left = answered.filter(({ answer }) => answer?.status === "unprocessed");
    if (left.length < open.length) attempt = 1;
    open = left.map(({ one, index }) => ({ one, index }));
    if (open.length === 0) break;
    const throttled = { kind: "reply", status: 429, retryAfterMs: undefined } as const;
    const pauseMs = retryDelayMs(throttled, { attempt, repeatable: true, random: ports.random() });
    if (pauseMs === undefined) break;
    await ports.delay(pauseMs, ports.signal);
  }
  return asked.flatMap((one, index) => {
    const result = results.get(index);
    return result === undefined ? [] : [[one, result] as const];
  });
}
