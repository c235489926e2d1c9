import type { Clock, Timer } from "../run/clock.ts";
import type { TimedKey } from "../schedule/timed-record.ts";
import type { TimedRecordStore } from "../schedule/timed-record-store.ts";
import { type RunTicket, standingOf } from "../source/source-moves.ts";
import type { SyncSource } from "../source/sync-source.ts";

/** Why a run of a source ends before it is through. Not one of Planledger's errors: nothing takes it for an item's problem. */
export class RunEnded extends Error {
  readonly because: "out_of_time" | "stop" | "lost";

  constructor(because: RunEnded["because"]) {
    super(`The run ends: ${because}.`);
    this.name = "RunEnded";
    this.because = because;
  }
}

/** A run stops with so much time left, to write down how it ended. */
const marginMs = 20_000;
/** How often it is looked whether the time is over, whatever is waited for: it may end early, when the service is stopped. */
const lookMs = 1_000;
/** The source's record is read again at most this often, while the run's lease lasts by the clock. */
const readAgainMs = 1_000;

/** Watches over a run: its time, its lease, and whether somebody wants it to end. */
export interface RunWatch {
  /** Aborted with a `RunEnded`, or with what makes the run fail for good. */
  readonly ending: AbortController;
  /** Throws when the run's time is over. */
  check(): void;
  /** Throws when the run may not write any more. */
  guard(): Promise<void>;
  delay(milliseconds: number): Promise<void>;
  /** What ended the run, when this was thrown. */
  reasonOf(thrown: unknown): unknown;
  end(): void;
}

export const runWatch = (
  ports: {
    readonly sources: Pick<TimedRecordStore<SyncSource>, "get">;
    readonly clock: Clock;
    readonly timer: Timer;
  },
  run: {
    readonly key: TimedKey;
    readonly source: SyncSource;
    readonly ticket: RunTicket;
    readonly remainingMs: () => number;
  },
): RunWatch => {
  const { clock, timer } = ports;
  const ending = new AbortController();
  const outOfTime = () => ending.abort(new RunEnded("out_of_time"));
  const isOver = () => run.remainingMs() <= marginMs;
  const look = (): void => {
    if (isOver()) outOfTime();
    else looking = timer.after(lookMs, look);
  };
  let looking = timer.after(lookMs, look);
  const untilEpochMs = run.source.lease?.untilEpochMs ?? 0;
  let readAtEpochMs = clock.now();

  const check = (): void => {
    if (isOver()) outOfTime();
    ending.signal.throwIfAborted();
  };

  return {
    ending,
    check,
    async guard() {
      check();
      const nowEpochMs = clock.now();
      if (nowEpochMs >= untilEpochMs) ending.abort(new RunEnded("lost"));
      else if (nowEpochMs - readAtEpochMs >= readAgainMs) {
        const standing = standingOf(await ports.sources.get(run.key), run.ticket, clock.now());
        if (standing !== "held") ending.abort(new RunEnded(standing));
        readAtEpochMs = nowEpochMs;
      }
      ending.signal.throwIfAborted();
    },
    delay: (milliseconds) =>
      new Promise((resolve) => {
        timer.after(milliseconds, resolve);
      }),
    reasonOf: (thrown) => (ending.signal.aborted ? ending.signal.reason : thrown),
    end: () => looking.cancel(),
  };
};
