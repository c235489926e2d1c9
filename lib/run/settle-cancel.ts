import type { Frontier } from "./frontier.ts";
import { finishCancel } from "./run-control.ts";
import type { RunPorts } from "./run-ports.ts";
import { signSealing } from "./sign-sealing.ts";

export type SettledCancel =
  | { readonly kind: "sealed"; readonly frontier: Frontier }
  | { readonly kind: "waiting"; readonly untilEpochMs: number };

/** The external call that an intent announces and whose result is not there, as long as its caller may be alive. */
export async function callUnderWay(
  frontier: Frontier,
  ports: Pick<RunPorts, "results" | "clock">,
): Promise<{ readonly untilEpochMs: number } | undefined> {
  const { intent } = frontier;
  if (intent === undefined || ports.clock.now() > intent.deadlineEpochMs) {
    return undefined;
  }
  const { tenant, planId, run } = frontier;
  const { ordinal, callOrdinal } = intent;
  const result = await ports.results.get({ tenant, planId, run, ordinal, callOrdinal });
  return result === undefined ? { untilEpochMs: intent.deadlineEpochMs } : undefined;
}

/** Seals a run whose cancel waits for an external call, once that call is over or taken for dead. */
export async function settleCancel(
  opening: Frontier,
  ports: Pick<RunPorts, "frontiers" | "results" | "signer" | "clock">,
): Promise<SettledCancel> {
  let frontier = opening;
  while (frontier.state.phase === "cancelling") {
    const call = await callUnderWay(frontier, ports);
    if (call !== undefined) {
      return { kind: "waiting", ...call };
    }
    const sealed = await signSealing(finishCancel(frontier, ports.clock.now()), ports.signer);
    if (await ports.frontiers.move(sealed)) {
      return { kind: "sealed", frontier: sealed };
    }
    frontier = (await ports.frontiers.read(frontier)) ?? frontier;
  }
  return { kind: "sealed", frontier };
}
