import { PlanledgerError, ValidationError } from "../errors/planledger-error.ts";
import { faultFields } from "../log/fault-fields.ts";
import type { Log } from "../log/log.ts";
import { SourceFenceLost } from "../source/source-bases.ts";
import type { RunSummary } from "../source/source-run.ts";
import type { SeenCatalogue, SyncSource } from "../source/sync-source.ts";
import type { EndedRun } from "./leased-run.ts";
import { RunEnded } from "./run-watch.ts";

/** Of each text that the other side may have had a say in. */
const keptChars = 1000;

/** A run that went through. */
export const completedRun = (done: {
  readonly unchanged: boolean;
  readonly summary: RunSummary;
  readonly seen: SeenCatalogue | undefined;
}): EndedRun => ({
  end: { kind: "completed", seen: done.seen },
  outcome: { outcome: "completed", unchanged: done.unchanged, summary: done.summary },
});

/** What ended a run before it was through, as its outcome; `lost` where the run has no say any more. */
export const endedBy = (
  log: Log,
  how: {
    readonly source: SyncSource;
    readonly error: unknown;
    readonly summary: RunSummary;
    readonly redact: (text: string) => string;
    readonly moved: number;
  },
): EndedRun | "lost" => {
  const { error, summary, source } = how;
  if (error instanceof SourceFenceLost) return "lost";
  if (error instanceof RunEnded) {
    switch (error.because) {
      case "lost":
        return "lost";
      case "stop": {
        const message = "The source was changed or deleted while it ran. What was done stays done.";
        return { end: { kind: "stopped" }, outcome: { outcome: "stopped", message, summary } };
      }
      case "out_of_time": {
        const message = `The time of a run was over after ${how.moved} steps. What was done stays done; the next run goes on at once.`;
        return {
          end: { kind: "unfinished", progress: how.moved > 0 },
          outcome: { outcome: "unfinished", message, summary },
        };
      }
      default:
        return error.because satisfies never;
    }
  }
  const known = error instanceof PlanledgerError;
  const { tenant, name } = source;
  log.write({
    level: known ? "warn" : "error",
    event: "sync_source_failed",
    ...{ tenant, schedule: `sources/${name}` },
    ...(known ? { code: error.code } : faultFields(error)),
  });
  const problem = known
    ? {
        code: error.code,
        message: how.redact(error.message).slice(0, keptChars),
        ...(error instanceof ValidationError ? { field: how.redact(error.field).slice(0, keptChars) } : {}),
      }
    : { code: "internal", message: "The service failed; its log tells why." };
  return { end: { kind: "failed" }, outcome: { outcome: "failed", problem, summary } };
};
