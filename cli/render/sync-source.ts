import type { SourceReply, SourceRunReply } from "#lib/api/source-requests.ts";
import type { Paint } from "../paint.ts";
import { oneLine } from "../print-safely.ts";
import { counted } from "./counted.ts";
import { moment } from "./moment.ts";
import { table } from "./table.ts";

/** A source's line in a list. */
export const sourceRow = (source: SourceReply, paint: Paint): readonly string[] => [
  source.name,
  nextWord(source, paint),
  `${source.from.kind} ${oneLine(source.from.url, 80)}`,
  source.lastRun === undefined ? "" : outcomeWord(source.lastRun.outcome, paint),
];

/** A source: where from, how, when next, and how its last run ended. */
export function sourceText(source: SourceReply, paint: Paint): string {
  const { name, from, lastRun, failures } = source;
  const flags = [
    ...(source.dryRun ? ["dry run"] : []),
    ...(source.prune ? [`prune, at most ${counted(source.maxDelete, "deletion")}`] : []),
    ...(source.force ? ["force"] : []),
  ];
  return [
    `${name}\n`,
    table([
      ["next", nextWord(source, paint)],
      [from.kind, oneLine(from.url, 200)],
      ...(from.token === undefined ? [] : [["token", from.token]]),
      ["scope", source.scope.join(", ")],
      ["policy", source.policy],
      ...(flags.length === 0 ? [] : [["options", flags.join(", ")]]),
      ["every", counted(source.everyMinutes, "minute")],
      ["saved", `${moment(source.savedAt)} by ${source.savedBy}`],
      ...(failures === 0 ? [] : [["failures", paint("red", `${failures} in a row`)]]),
      ...(lastRun === undefined
        ? []
        : [
            [
              "last run",
              `${lastRun.run} ${outcomeWord(lastRun.outcome, paint)} ${moment(lastRun.endedAt)} ${oneLine(lastRun.message ?? "", 300)}`,
            ],
          ]),
    ]),
  ].join("");
}

/** Runs, the newest first, and what is in the way of which item. */
export function sourceRunsText(runs: readonly SourceRunReply[], paint: Paint): string {
  if (runs.length === 0) return "no runs yet\n";
  return runs.map((run) => runText(run, paint)).join("");
}

export function runText(run: SourceRunReply, paint: Paint): string {
  const { summary } = run;
  const told = run.problem?.message ?? run.message ?? (run.unchanged === true ? "unchanged" : "");
  const counts =
    summary === undefined
      ? ""
      : `${counted(summary.pulled, "item")} pulled, ${summary.deleted} deleted, ${summary.skipped} skipped, ${counted(summary.conflictCount, "conflict")}, ${counted(summary.errorCount, "error")}, ${counted(summary.requests, "request")}`;
  return [
    `${run.run}  ${moment(run.startedAt)}  ${outcomeWord(run.outcome, paint)}  ${counts}${summary?.dryRun === true ? " (dry run)" : ""}\n`,
    ...(told === "" ? [] : [`    ${oneLine(told, 500)}\n`]),
    ...(summary?.conflicts ?? []).map(
      ({ kind = "", item, reason }) =>
        `    ${paint("yellow", "conflict")}  ${oneLine(`${kind} ${item}: ${reason}`, 500)}\n`,
    ),
    ...(summary?.errors ?? []).map(
      ({ kind = "", item, reason }) =>
        `    ${paint("red", "error")}  ${oneLine(`${kind} ${item}: ${reason}`, 500)}\n`,
    ),
  ].join("");
}

const nextWord = ({ running, requested, paused, nextRunAt }: SourceReply, paint: Paint): string => {
  if (running !== undefined) return paint("cyan", running.stopping ? "ending" : "running");
  if (requested) return paint("cyan", "asked for");
  if (paused || nextRunAt === undefined) return paint("yellow", "paused");
  return moment(nextRunAt);
};

const outcomeColours = {
  completed: "green",
  unfinished: "cyan",
  failed: "red",
  stopped: "yellow",
  killed: "red",
} as const;

const outcomeWord = (outcome: SourceRunReply["outcome"], paint: Paint): string =>
  paint(outcomeColours[outcome], outcome);
