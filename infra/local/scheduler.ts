import { faultFields } from "#lib/log/fault-fields.ts";
import type { Log } from "#lib/log/log.ts";
import type { Clock, IdSource } from "#lib/run/clock.ts";
import type { ScheduleTopology } from "../topology-shape.ts";
import type { HostedFunction } from "./lambda-host.ts";

export interface Scheduler {
  /** Starts nothing more, and waits for what it started. */
  stop(): Promise<void>;
}

/** Invokes functions on their schedules, as EventBridge does; one that still runs is not started a second time. */
export const startScheduler = (options: {
  readonly schedules: Readonly<Record<string, ScheduleTopology>>;
  readonly functions: ReadonlyMap<string, HostedFunction>;
  readonly clock: Clock;
  readonly ids: IdSource;
  readonly log: Log;
}): Scheduler => {
  const running = new Map<string, Promise<void>>();
  const start = (name: string, target: HostedFunction) => {
    if (running.has(name)) return;
    const run = target
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
    running.set(name, run);
  };
  const timers = Object.entries(options.schedules).flatMap(([name, schedule]) => {
    const target = options.functions.get(schedule.function);
    if (target === undefined) return [];
    return [setInterval(() => start(name, target), schedule.everyMinutes * 60_000)];
  });
  return {
    async stop() {
      for (const timer of timers) clearInterval(timer);
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
