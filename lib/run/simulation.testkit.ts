import { InfrastructureError } from "../errors/planledger-error.ts";
import type { Timer } from "./clock.ts";

/** Seeded choices; the same seed makes the same schedule. */
export interface Choices {
  below(bound: number): number;
  chance(probability: number): boolean;
}

export function seededChoices(seed: number): Choices {
  let state = seed >>> 0;
  const next = (): number => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
  return {
    below: (bound) => Math.floor(next() * bound),
    chance: (probability) => next() < probability,
  };
}

/** A worker or a caller: an asynchronous function that can be killed at any await of a port. */
export interface Task {
  readonly name: string;
  dead: boolean;
  /** How it ended; absent while it runs, and for ever once it is dead. */
  settled?: { readonly error?: unknown };
}

interface Waiting {
  readonly task: Task;
  readonly call: string;
  proceed(fault: Fault): void;
}

/** What a port does to a call: answer; fail before the effect; fail after it; kill the caller before or after it. */
export type Fault = "none" | "throttle" | "applied_but_errored" | "crash" | "crash_after";

interface ArmedTimer {
  readonly task: Task;
  readonly dueEpochMs: number;
  readonly callback: () => void;
}

/**
 * Runs tasks that do everything through ports, one port call at a time, in an order that is chosen from outside. Between two
 * choices everything that can go on without a port has gone on.
 */
export interface Simulation {
  epochMs: number;
  /** Calls that wait for their turn. */
  readonly waiting: readonly Waiting[];
  readonly tasks: readonly Task[];
  start(name: string, work: (task: Task) => Promise<unknown>): Task;
  /** A port whose every method waits for its turn. */
  port<T extends object>(task: Task, name: string, target: T): T;
  timerOf(task: Task): Timer;
  dueTimers(): readonly ArmedTimer[];
  fire(timer: ArmedTimer): void;
  kill(task: Task): void;
  proceed(waiting: Waiting, fault: Fault): void;
  /** Lets go of everything that waits, the dead included, so that no timer of a tool runner outlives the test. */
  end(): void;
  /** Until every task waits for a port or has ended. */
  settle(): Promise<void>;
}

export function simulation(epochMs: number): Simulation {
  const waiting: Waiting[] = [];
  const tasks: Task[] = [];
  const timers = new Set<ArmedTimer>();
  const graves: ((error: Error) => void)[] = [];
  let over = false;

  /** What a dead task waits for, until the simulation is over. */
  const grave = (): Promise<never> =>
    new Promise((_, reject) => {
      if (over) {
        reject(new Error("The simulation is over."));
      } else {
        graves.push(reject);
      }
    });

  function turn(task: Task, call: string): Promise<Fault> {
    if (task.dead) {
      return grave();
    }
    return new Promise((resolve, reject) => {
      waiting.push({ task, call, proceed: resolve });
      graves.push(reject);
    });
  }

  async function through(task: Task, call: string, effect: () => Promise<unknown>): Promise<unknown> {
    const fault = await turn(task, call);
    switch (fault) {
      case "none":
        return effect();
      case "throttle":
        throw new InfrastructureError({ message: `throttled: ${call}` });
      case "applied_but_errored":
        await effect();
        throw new InfrastructureError({ message: `connection lost after: ${call}` });
      case "crash":
        return grave();
      case "crash_after":
        await effect();
        return grave();
      default:
        return fault satisfies never;
    }
  }

  const self: Simulation = {
    epochMs,
    waiting,
    tasks,
    start(name, work) {
      const task: Task = { name, dead: false };
      tasks.push(task);
      work(task).then(
        () => {
          task.settled = {};
        },
        (error: unknown) => {
          task.settled = { error };
        },
      );
      return task;
    },
    port: (task, name, target) =>
      new Proxy(target, {
        get(object, property, receiver) {
          const member: unknown = Reflect.get(object, property, receiver);
          if (typeof member !== "function") {
            return member;
          }
          return (...parameters: readonly unknown[]) =>
            through(task, `${name}.${String(property)}`, async () =>
              Reflect.apply(member, object, parameters),
            );
        },
      }),
    timerOf: (task) => ({
      after(delayMs, callback) {
        const timer = { task, dueEpochMs: self.epochMs + delayMs, callback };
        timers.add(timer);
        return { cancel: () => timers.delete(timer) };
      },
    }),
    dueTimers: () => [...timers].filter(({ task, dueEpochMs }) => !task.dead && dueEpochMs <= self.epochMs),
    fire(timer) {
      timers.delete(timer);
      timer.callback();
    },
    kill(task) {
      task.dead = true;
      for (let index = waiting.length - 1; index >= 0; index -= 1) {
        if (waiting[index]?.task === task) {
          waiting.splice(index, 1);
        }
      }
    },
    proceed(chosen, fault) {
      waiting.splice(waiting.indexOf(chosen), 1);
      if (fault === "crash" || fault === "crash_after") {
        self.kill(chosen.task);
      }
      chosen.proceed(fault);
    },
    end() {
      over = true;
      for (const task of tasks) {
        self.kill(task);
      }
      for (const reject of graves.splice(0)) {
        reject(new Error("The simulation is over."));
      }
    },
    async settle() {
      // Everything behind the ports is in memory, so two turns of the event loop leave nothing but port calls to wait for.
      await new Promise(setImmediate);
      await new Promise(setImmediate);
    },
  };
  return self;
}
