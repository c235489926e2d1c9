import { InfrastructureError, NotFoundError } from "../errors/planledger-error.ts";
import type { Clock } from "./clock.ts";
import type { Frontier } from "./frontier.ts";
import {
  type ControlMove,
  type ControlRequest,
  cancelRun,
  pauseRun,
  resumePausedRun,
} from "./run-control.ts";
import type { ExternalResultStore, FrontierStore, HintQueue, PlanKey } from "./run-store.ts";
import { callUnderWay } from "./settle-cancel.ts";
import { signSealing } from "./sign-sealing.ts";
import type { Signer } from "./signer.ts";
import { hintOf } from "./watch-hint.ts";

export interface ControlPorts {
  readonly frontiers: FrontierStore;
  readonly results: ExternalResultStore;
  readonly hints: HintQueue;
  readonly signer: Signer;
  readonly clock: Clock;
}

/** Who asks, and why. */
export interface ControlCaller {
  readonly by: string;
  readonly reason?: string;
}

/** A busy run moves its frontier a few times a second; so many lost races in a row mean that something is wrong. */
const maxAttempts = 50;

/** Pauses the plan's latest run; nothing becomes final once this returned. Paused already: the same answer. */
export function pausePlan(key: PlanKey, caller: ControlCaller, ports: ControlPorts): Promise<Frontier> {
  return control(key, async (frontier) => pauseRun(frontier, requestOf(caller, ports)), ports);
}

/** Lets a paused run go on, and sends its hint. Running already: the same answer (and the hint again). */
export async function resumePaused(
  key: PlanKey,
  caller: ControlCaller,
  ports: ControlPorts,
): Promise<Frontier> {
  const frontier = await control(
    key,
    async (current) => resumePausedRun(current, requestOf(caller, ports)),
    ports,
  );
  await ports.hints.send(hintOf(frontier));
  return frontier;
}

/**
 * Cancels the plan's latest run; nothing becomes final once this returned. The answer is `cancelled`, or `cancelling` while
 * an external call may be under way: then a hint for its deadline seals the run.
 */
export async function cancelPlan(
  key: PlanKey,
  caller: ControlCaller,
  ports: ControlPorts,
): Promise<Frontier> {
  const frontier = await control(
    key,
    async (current) =>
      cancelRun(current, requestOf(caller, ports), (await callUnderWay(current, ports)) !== undefined),
    ports,
  );
  if (frontier.state.phase === "cancelling" && frontier.intent !== undefined) {
    const seconds = Math.ceil((frontier.intent.deadlineEpochMs - ports.clock.now()) / 1000) + 1;
    await ports.hints.send(hintOf(frontier), { delaySeconds: Math.min(900, Math.max(1, seconds)) });
  }
  return frontier;
}

function control(
  key: PlanKey,
  decide: (frontier: Frontier) => Promise<ControlMove>,
  { frontiers, signer }: ControlPorts,
): Promise<Frontier> {
  return controlFrontier(key, decide, {
    signer,
    read: () => frontiers.latest(key),
    move: (next) => frontiers.move(next),
  });
}

function requestOf(caller: ControlCaller, ports: ControlPorts): ControlRequest {
  return { ...caller, nowEpochMs: ports.clock.now() };
}

/** Reads a frontier, decides on a move and makes it; when somebody else was faster, all over again. */
export async function controlFrontier(
  key: PlanKey,
  decide: (frontier: Frontier) => Promise<ControlMove>,
  ports: Pick<ControlPorts, "signer"> & {
    readonly read: () => Promise<Frontier | undefined>;
    readonly move: FrontierStore["move"];
  },
): Promise<Frontier> {
  for (let attempt = 0; attempt < maxAttempts; attempt += 1) {
    const frontier = await ports.read();
    if (frontier === undefined) {
      throw new NotFoundError({
        code: "not_found",
        message: `Plan ${key.planId} has no run. Submit it first.`,
      });
    }
    const move = await decide(frontier);
    if (move.kind === "already") {
      return frontier;
    }
    const next = move.kind === "move" ? move.next : await signSealing(move.sealing, ports.signer);
    if (await ports.move(next)) {
      return next;
    }
  }
  throw new InfrastructureError({
    message: `Plan ${key.planId} moved on ${maxAttempts} times while it was to be paused, resumed or cancelled. Try again.`,
  });
}
