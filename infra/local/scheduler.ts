import { PlanledgerError } from "#lib/errors/planledger-error.ts";
import { faultFields } from "#lib/log/fault-fields.ts";
import type { Log } from "#lib/log/log.ts";
import type { Clock, IdSource, Timer } from "#lib/run/clock.ts";
import type { ScheduleTopology } from "../topology-shape.ts";
import type { HostedFunction } from "./lambda-host.ts";

export interface Scheduler {
  /** Starts a schedule's function as its time would, once one that runs has ended; and ends when it has. */
  run(name: string): Promise<void>;
  /** Starts nothing more, and waits for what it started. */
  stop(): Promise<void>;
}

/**
 * Invokes functions on their schedules, as EventBridge does, at whole minutes of the clock; one that still runs is not started
 * a second time.
 */
export const startScheduler = (options: {
  readonly schedules: Readonly<Record<string, ScheduleTopology>>;
  readonly functions: ReadonlyMap<string, HostedFunction>;
  readonly clock: Clock;
  readonly timer: Timer;
  readonly ids: IdSource;
  readonly log: Log;
}): Scheduler => {
  const running = new Map<string, Promise<void>>();
  const timers = new Map<string, { cancel(): void }>();

  const start = (name: string, target: HostedFunction): Promise<void> => {
    const started = target
      .invoke(scheduledEvent({ name, id: options.ids.ulid(), atEpochMs: options.clock.now() }))
      .then(
        () => {},
        (fault: unknown) => {
          options.log.write({
            level: "error",
            event: "schedule_failed",
            schedule: name,
            ...faultFields(fault),
          });
        },
      )
      .finally(() => running.delete(name));
    running.set(name, started);
    return started;
  };

  const startAtFullMinutes = (name: string, target: HostedFunction, everyMs: number): void => {
    const next = options.timer.after(everyMs - (options.clock.now() % everyMs), () => {
      startAtFullMinutes(name, target, everyMs);
      if (!running.has(name)) void start(name, target);
    });
    timers.set(name, next);
  };

  const targets = new Map(
    Object.entries(options.schedules).flatMap(([name, schedule]) => {
      const target = options.functions.get(schedule.function);
      return target === undefined ? [] : [[name, target] as const];
    }),
  );
  for (const [name, target] of targets) {
    startAtFullMinutes(name, target, (options.schedules[name]?.everyMinutes ?? 1) * 60_000);
  }
  return {
    async run(name) {
      const target = targets.get(name);
      if (target === undefined) {
        throw new PlanledgerError({ code: "internal", message: `The topology has no schedule ${name}.` });
      }
      for (let before = running.get(name); before !== undefined; before = running.get(name)) await before;
      await start(name, target);
    },
    async stop() {
      for (const timer of timers.values()) timer.cancel();
      await Promise.all(running.values());
    },
  };
};

/** EventBridge's event of a schedule. */
export const scheduledEvent = (options: {
  readonly name: string;
  readonly id: string;
  readonly atEpochMs: number;
}) => ({
  version: "0",
  id: options.id,
  "detail-type": "Scheduled Event",
  source: "aws.events",
  account: "000000000000",
  time: new Date(options.atEpochMs).toISOString(),
  region: "us-east-1",
  resources: [`arn:aws:events:us-east-1:000000000000:rule/${options.name}`],
  detail: {},
});
