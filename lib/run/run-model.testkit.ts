import assert from "node:assert/strict";
import { PlanledgerError } from "../errors/planledger-error.ts";
import { advanceRun } from "./advance-run.ts";
import { cancelPlan, pausePlan } from "./control-run.ts";
import { deadLetter } from "./dead-letter.ts";
import { type ModelWorld, modelWorld } from "./model-world.testkit.ts";
import { passageNames, type RandomPlan, withPassages } from "./random-plan.testkit.ts";
import { reconcileRuns } from "./reconcile-runs.ts";
import { resumePlan } from "./resume-plan.ts";
import type { Corrections } from "./run-decisions.ts";
import { key } from "./run-plan.testkit.ts";
import type { QueuedHint, SimulatedQueue } from "./simulated-queue.testkit.ts";
import { type Choices, type Fault, seededChoices, type Task } from "./simulation.testkit.ts";

export interface Schedule {
  readonly seed: number;
  readonly plan: RandomPlan;
  /** How many faults may be injected before the calm. */
  readonly faults: number;
  /** How many pauses, resumes and cancels may be asked for. */
  readonly controls: number;
}

const workersAtOnce = 3;
const maxReceiveCount = 5;
const maxCalmRounds = 3_000;
const functionTimeoutMs = 60_000;

type Control = "pause" | "resume" | "cancel";

/** What callers were told, with the number of frontier moves there had been by then. */
export interface Answer {
  readonly control: Control;
  readonly moves: number;
}

export interface ScheduleResult {
  readonly world: ModelWorld;
  readonly answers: readonly Answer[];
}

/** Corrected calls that resumes after an end may give; decisions that landed make them fail, which is an answer too. */
const correctionsFor = (choices: Choices, plan: RandomPlan): Corrections | undefined =>
  choices.chance(0.5)
    ? undefined
    : {
        [`d${choices.below(plan.decisions.length)}`]: correctedCalls(choices.below(passageNames.length + 1)),
      };
const correctedCalls = (index: number) =>
  withPassages([
    { tool: "write_file", input: { path: "fixed.txt", content: passageNames[index] ?? `fix ${index}\n` } },
  ]);

/**
 * Submits a plan and lets workers, callers, the dead-letter consumer and the reconciler loose on it, under faults; then the
 * faults stop and everything must come to an end. Deterministic in the schedule.
 */
export async function runSchedule(schedule: Schedule): Promise<ScheduleResult> {
  const world = modelWorld();
  const choices = seededChoices(schedule.seed);
  const answers: Answer[] = [];
  await world.submit(withPassages(schedule.plan));
  let { faults, controls } = schedule;

  const deliver = (queue: SimulatedQueue, message: QueuedHint): void => {
    queue.receive(message);
    if (queue === world.queue && message.receiveCount > maxReceiveCount) {
      queue.delete(message);
      void world.deadLetters.send(message.hint);
      return;
    }
    const { hint, receiveCount } = message;
    world.sim.start(queue === world.queue ? "worker" : "dead-letter consumer", async (task) => {
      const ports = world.portsOf(task);
      if (queue === world.queue) {
        const deadlineEpochMs = world.sim.epochMs + functionTimeoutMs;
        await advanceRun({ hint, deadlineEpochMs, receiveCount }, ports);
      } else {
        await deadLetter(hint, ports);
      }
      queue.delete(message);
    });
  };

  const startControl = (control: Control, calm: boolean): Task => {
    const toolCalls = control === "resume" && !calm ? correctionsFor(choices, schedule.plan) : undefined;
    return world.sim.start(control, async (task) => {
      const ports = world.portsOf(task);
      try {
        if (control === "pause") {
          await pausePlan(key, { by: "user:eve" }, ports);
        } else if (control === "cancel") {
          await cancelPlan(key, { by: "user:eve", reason: "enough" }, ports);
        } else {
          await resumePlan(key, { by: "user:eve", ...(toolCalls === undefined ? {} : { toolCalls }) }, ports);
        }
        answers.push({ control, moves: world.history.length });
      } catch (error) {
        // A refusal is an answer; anything that is none of ours is a fault of the code.
        if (!(error instanceof PlanledgerError) || error.code === "internal") {
          throw error;
        }
      }
    });
  };

  const startReconciler = (): Task =>
    world.sim.start("reconciler", (task) => {
      const ports = world.portsOf(task);
      const dueByEpochSeconds = Math.floor(world.sim.epochMs / 1000);
      return reconcileRuns(
        { dueByEpochSeconds },
        { ...ports, applies: ports.hints, phaseHints: ports.hints },
      );
    });

  const alive = (): readonly Task[] =>
    world.sim.tasks.filter((task) => !task.dead && task.settled === undefined);
  const checkTasks = (): void => {
    for (const { name, settled } of world.sim.tasks) {
      const error = settled?.error;
      if (error !== undefined && !(error instanceof PlanledgerError && error.retryable)) {
        throw new Error(`${name} ended with an error that is no outage`, { cause: error });
      }
    }
  };

  const proceedOne = (): void => {
    const chosen = world.sim.waiting[choices.below(world.sim.waiting.length)];
    if (chosen === undefined) {
      return;
    }
    let fault: Fault = "none";
    if (faults > 0 && choices.chance(0.15)) {
      faults -= 1;
      fault =
        (["throttle", "applied_but_errored", "crash", "crash_after"] as const)[choices.below(4)] ?? "none";
    }
    world.sim.epochMs += choices.below(40);
    world.sim.proceed(chosen, fault);
  };

  // The storm.
  const stormEnds = 150 + choices.below(250);
  for (let round = 0; round < stormEnds; round += 1) {
    await world.sim.settle();
    checkTasks();
    const workers = alive().filter(({ name }) => name !== "pause" && name !== "cancel" && name !== "resume");
    const visible = world.queue.visible();
    const dead = world.deadLetters.visible();
    const dice = choices.below(100);
    if (dice < 12 && workers.length < workersAtOnce && visible.length > 0) {
      const message = visible[choices.below(visible.length)];
      if (message !== undefined) {
        deliver(world.queue, message);
      }
    } else if (dice < 14 && dead.length > 0 && dead[0] !== undefined) {
      deliver(world.deadLetters, dead[0]);
    } else if (dice < 17 && controls > 0 && world.history.length > 2) {
      controls -= 1;
      const control = (["pause", "resume", "resume", "cancel"] as const)[choices.below(4)] ?? "pause";
      startControl(control, false);
    } else if (dice < 19 && faults > 0 && world.queue.messages.length > 0) {
      const message = world.queue.messages[choices.below(world.queue.messages.length)];
      if (message !== undefined) {
        world.queue.duplicate(message);
      }
    } else if (dice < 24) {
      world.sim.epochMs += [300, 2_500, 6_000, 20_000, 400_000][choices.below(5)] ?? 0;
    } else if (dice < 30) {
      const timer = world.sim.dueTimers()[0];
      if (timer !== undefined) {
        world.sim.fire(timer);
      }
    } else if (dice < 31) {
      startReconciler();
    } else if (world.sim.waiting.length > 0) {
      proceedOne();
    } else {
      world.sim.epochMs += 1_000;
    }
  }

  // The calm: nothing fails any more; what is left must bring the run to its end.
  faults = 0;
  for (let round = 0; ; round += 1) {
    assert.ok(round < maxCalmRounds, "the run did not end although nothing failed any more");
    await world.sim.settle();
    checkTasks();
    if (world.sim.waiting.length > 0) {
      proceedOne();
      continue;
    }
    const latest = await world.calm.frontiers.latest(key);
    if (latest !== undefined && "digest" in latest.state && alive().length === 0) {
      break;
    }
    const timer = world.sim.dueTimers()[0];
    const visible = world.queue.visible()[0];
    const dead = world.deadLetters.visible()[0];
    if (timer !== undefined) {
      world.sim.fire(timer);
    } else if (dead !== undefined) {
      deliver(world.deadLetters, dead);
    } else if (latest?.state.phase === "paused") {
      startControl("resume", true);
    } else if (visible !== undefined) {
      deliver(world.queue, visible);
    } else if (world.queue.messages.length > 0) {
      world.sim.epochMs = Math.max(
        world.sim.epochMs + 1,
        Math.min(...world.queue.messages.map(({ visibleAtEpochMs }) => visibleAtEpochMs)),
      );
    } else {
      world.sim.epochMs += 200_000;
      startReconciler();
    }
  }
  return { world, answers };
}
