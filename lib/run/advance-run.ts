import { InfrastructureError } from "../errors/planledger-error.ts";
import { failDecision } from "./dead-letter.ts";
import type { Frontier } from "./frontier.ts";
import { isWaiting } from "./release-gate.ts";
import { CallUnderWay, OutOfTime, RunMoved } from "./run-moved.ts";
import type { RunPorts } from "./run-ports.ts";
import { begin, clearSuspect, completeEmpty, markSuspect } from "./run-progress.ts";
import type { Hint, HintQueue } from "./run-store.ts";
import { workOnRun } from "./run-worker.ts";
import { callUnderWay, settleCancel } from "./settle-cancel.ts";
import { signSealing } from "./sign-sealing.ts";
import { hintOf, judgeWatch, sendWatch } from "./watch-hint.ts";

/** Left of the invocation's time when the last decision is begun. */
const stopMarginMs = 5_000;
/** Decisions that are written one by one after a worker seems to have died: as many as its two lost steps may have held. */
const singleSteps = 64;
/** Workers that may die at one position before its decision is failed. */
const maxStarts = 4;
const maxDelaySeconds = 900;

export interface AdvanceRequest {
  readonly hint: Hint;
  /** When the invocation is killed. */
  readonly deadlineEpochMs: number;
  /** Of the message, 1 for the first delivery. */
  readonly receiveCount: number;
}

/** What an invocation came to; in each case the message is done with. */
export type AdvanceOutcome =
  | {
      readonly kind: "nothing_to_do";
      readonly because: "no_run" | "ended" | "paused" | "waiting" | "watched" | "yielded";
    }
  | { readonly kind: "ended"; readonly frontier: Frontier }
  /** The next decision has external effects that somebody else must approve first. */
  | { readonly kind: "awaiting_release"; readonly frontier: Frontier }
  /** Its time was up; a hint was sent. */
  | { readonly kind: "handed_on"; readonly frontier: Frontier }
  /** Nothing could be done for an outage; the watch hint that was sent comes in the stead of this one. */
  | { readonly kind: "outage" }
  /** An external call may be under way elsewhere; a hint was sent for its deadline. */
  | { readonly kind: "waiting"; readonly untilEpochMs: number };

/**
 * What a worker does for a hint: reads the frontier and moves the run on from there, by itself, until it ends or the time is
 * up. Any number of deliveries, at any time, at the same time, do no harm. Throws `InfrastructureError` for an outage: then
 * the message must come again.
 */
export async function advanceRun(request: AdvanceRequest, ports: RunPorts): Promise<AdvanceOutcome> {
  const { hint } = request;
  const frontier = await ports.frontiers.read(hint);
  if (frontier === undefined) {
    return { kind: "nothing_to_do", because: "no_run" };
  }
  const { phase } = frontier.state;
  switch (phase) {
    case "completed":
    case "failed":
    case "cancelled":
      return { kind: "nothing_to_do", because: "ended" };
    case "paused":
      return { kind: "nothing_to_do", because: "paused" };
    case "cancelling":
      return settle(frontier, ports);
    case "submitted":
    case "running":
      break;
    default:
      return phase satisfies never;
  }
  if (isWaiting(frontier)) {
    return { kind: "nothing_to_do", because: "waiting" };
  }
  if (hint.watch !== undefined) {
    const verdict = judgeWatch(frontier, hint.watch);
    if (verdict === "alive") {
      const { worker } = hint.watch;
      await sendWatch(frontier, { worker, seen: frontier.revision }, ports.hints);
    }
    if (verdict !== "dead") {
      return { kind: "nothing_to_do", because: "watched" };
    }
  }
  return workUnderWatch(frontier, request, ports);
}

/**
 * A worker that ends in an outage has sent a watch hint, and its message comes again. Where that message was a watch hint
 * itself, one of the two is enough: of both each would breed two more, and an outage of minutes would fill the queue.
 */
async function workUnderWatch(
  frontier: Frontier,
  request: AdvanceRequest,
  ports: RunPorts,
): Promise<AdvanceOutcome> {
  const watches: Promise<boolean>[] = [];
  const send: HintQueue["send"] = (hint, options) => {
    const sending = ports.hints.send(hint, options);
    if (hint.watch !== undefined) watches.push(sending.then(() => true).catch(() => false));
    return sending;
  };
  try {
    return await work(frontier, request, { ...ports, hints: { send } });
  } catch (error) {
    const isOutage = error instanceof InfrastructureError && request.hint.watch !== undefined;
    if (isOutage && (await Promise.all(watches)).includes(true)) return { kind: "outage" };
    throw error;
  }
}

async function work(opening: Frontier, request: AdvanceRequest, allPorts: RunPorts): Promise<AdvanceOutcome> {
  const watch = opening.revision;
  let hasMoved = false;
  const ports: RunPorts = {
    ...allPorts,
    frontiers: {
      ...allPorts.frontiers,
      async move(next) {
        const moved = await allPorts.frontiers.move(next);
        hasMoved ||= moved;
        return moved;
      },
    },
  };
  const suspicious = request.receiveCount > 1 || request.hint.watch !== undefined;
  if (suspicious) {
    // Until it is over nobody can go on. To find that out is no start at its decision, and needs no watch beside this.
    const call = await callUnderWay(opening, ports);
    if (call !== undefined) return watchCall(opening, call.untilEpochMs, ports);
  }
  // Moves that are made before any work are no sign of life.
  const seen = watch + (opening.state.phase === "submitted" ? 1 : 0) + (suspicious ? 1 : 0);
  // The watch stands before the first move, which makes those of earlier workers void.
  const [plan, run] = await Promise.all([
    ports.plans.get(opening),
    ports.runs.getRun(opening),
    sendWatch(opening, { worker: watch, seen }, ports.hints),
  ]);
  if (plan === undefined || run === undefined) {
    throw new InfrastructureError({
      message: `Plan ${opening.planId} has a run ${opening.run}, but ${plan === undefined ? "the plan" : "its record"} is not there (yet).`,
    });
  }
  let frontier = opening;
  /** Decisions are executed while the run is opened; nothing is written before it is. */
  let opened: Promise<void> = Promise.resolve();
  try {
    if (frontier.state.phase === "submitted") {
      frontier = begin(frontier, run, ports.clock.now());
      opened = move(frontier, ports).then(() => undefined);
      opened.catch(() => undefined);
    }
    if (frontier.decisionCount === 0 || suspicious) {
      await opened;
    }
    if (frontier.decisionCount === 0) {
      const ended = await signSealing(completeEmpty(frontier, ports.clock.now()), ports.signer);
      return { kind: "ended", frontier: await move(ended, ports) };
    }
    if (suspicious) {
      if (frontier.suspect?.position === frontier.position && frontier.suspect.starts >= maxStarts) {
        await failDecision(frontier, { plan, run }, ports);
        await ports.hints.send(hintOf(frontier));
        return { kind: "handed_on", frontier };
      }
      frontier = await move(markSuspect(frontier, watch, ports.clock.now()), ports);
    }
    const left = await workOnRun(
      frontier,
      {
        plan,
        run,
        // Asked again each time: a host that shuts down brings the deadline forward.
        get stopAtEpochMs() {
          return request.deadlineEpochMs - stopMarginMs;
        },
        singleBelow: suspicious ? frontier.position + singleSteps : 0,
        watch,
        spent: { invocations: 1, hints: 1 },
        opened,
      },
      ports,
    );
    if (left.state.phase !== "running") {
      return { kind: "ended", frontier: left };
    }
    if (isWaiting(left)) {
      return { kind: "awaiting_release", frontier: left };
    }
    await ports.hints.send(hintOf(left));
    return { kind: "handed_on", frontier: left };
  } catch (error) {
    if (error instanceof CallUnderWay) {
      return wait(frontier, error.untilEpochMs, ports);
    }
    if (error instanceof OutOfTime) {
      await ports.hints.send(hintOf(frontier));
      return { kind: "handed_on", frontier };
    }
    if (error instanceof RunMoved) {
      return afterLoss({ opening, watch, hasMoved, request }, allPorts);
    }
    if (error instanceof InfrastructureError) {
      await forgive(opening, watch, ports);
    }
    throw error;
  } finally {
    await opened.catch(() => undefined);
  }
}

/**
 * Somebody else moved the run. A worker that was displaced by a later one yields. So does one that never got to move: whoever
 * moved instead is at work and watched, or sent a hint of its own (the reconciler). To begin again would be to race it for
 * every step, and when many begin at once they would take the run from one another, round after round. After a control move,
 * which begins another epoch, it is ours to look.
 */
async function afterLoss(
  lost: {
    readonly opening: Frontier;
    readonly watch: number;
    readonly hasMoved: boolean;
    readonly request: AdvanceRequest;
  },
  ports: RunPorts,
): Promise<AdvanceOutcome> {
  const frontier = await ports.frontiers.read(lost.opening);
  const displaced = frontier?.watch !== undefined && frontier.watch > lost.watch;
  // One that began at the same revision has the same number, and may have begun the run, which is a control move too.
  const sameStart = frontier?.watch === lost.watch || frontier?.epoch === lost.opening.epoch;
  const beaten = sameStart && !lost.hasMoved;
  if (frontier?.state.phase === "running" && (displaced || beaten)) {
    return { kind: "nothing_to_do", because: "yielded" };
  }
  if (ports.clock.now() >= lost.request.deadlineEpochMs - stopMarginMs) {
    await ports.hints.send(hintOf(lost.opening));
    return { kind: "handed_on", frontier: frontier ?? lost.opening };
  }
  // This worker is alive: what follows is no further sign of a decision that kills its worker.
  return advanceRun({ ...lost.request, hint: hintOf(lost.opening), receiveCount: 1 }, ports);
}

async function move(next: Frontier, ports: Pick<RunPorts, "frontiers">): Promise<Frontier> {
  if (!(await ports.frontiers.move(next))) {
    throw new RunMoved();
  }
  return next;
}

/** An outage is no sign of a decision that kills its worker: this one is alive to say so. */
async function forgive(opening: Frontier, watch: number, ports: RunPorts): Promise<void> {
  try {
    const frontier = await ports.frontiers.read(opening);
    if (frontier?.state.phase === "running" && frontier.suspect !== undefined && frontier.watch === watch) {
      await ports.frontiers.move(clearSuspect(frontier, ports.clock.now()));
    }
  } catch {
    // The outage lasts. The suspicion stays; it takes several to fail a decision.
  }
}

async function settle(frontier: Frontier, ports: RunPorts): Promise<AdvanceOutcome> {
  const settled = await settleCancel(frontier, ports);
  if (settled.kind === "waiting") {
    return wait(frontier, settled.untilEpochMs, ports);
  }
  return { kind: "ended", frontier: settled.frontier };
}

async function wait(frontier: Frontier, untilEpochMs: number, ports: RunPorts): Promise<AdvanceOutcome> {
  await ports.hints.send(hintOf(frontier), { delaySeconds: delayUntil(untilEpochMs, ports) });
  return { kind: "waiting", untilEpochMs };
}

/** The watch over a worker that may have died in an external call goes on when that call is over. */
async function watchCall(frontier: Frontier, untilEpochMs: number, ports: RunPorts): Promise<AdvanceOutcome> {
  const watch = { worker: frontier.watch ?? frontier.revision, seen: frontier.revision };
  const delaySeconds = delayUntil(untilEpochMs, ports);
  await ports.hints.send({ ...hintOf(frontier), watch }, { delaySeconds });
  return { kind: "waiting", untilEpochMs };
}

function delayUntil(epochMs: number, { clock }: Pick<RunPorts, "clock">): number {
  const seconds = Math.ceil((epochMs - clock.now()) / 1000) + 1;
  return Math.min(maxDelaySeconds, Math.max(1, seconds));
}
