import type { LastApplyReply, PlanStatusReply } from "#lib/api/plan-replies.ts";
import type { Paint } from "../paint.ts";
import { printable } from "../print-safely.ts";
import { conflictText } from "./conflict-list.ts";
import { counted } from "./counted.ts";
import { duration, moment } from "./moment.ts";
import { failureLine, outcomeMark } from "./outcome.ts";
import { table } from "./table.ts";

const phaseColours = {
  submitted: "cyan",
  running: "cyan",
  paused: "yellow",
  completed: "green",
  failed: "red",
  cancelled: "yellow",
  applying: "cyan",
  applied: "green",
} as const;

export const phaseWord = (phase: PlanStatusReply["phase"], paint: Paint): string =>
  paint(phaseColours[phase], phase);

/**
 * A plan's status: what landed, what did not, and why (F25). `landed` holds the ids that landed where the caller read them.
 */
export function statusText(
  status: PlanStatusReply,
  options: { readonly paint: Paint; readonly landed?: readonly string[] },
): string {
  const { paint } = options;
  const { counts } = status;
  const title = status.name === undefined ? status.planId : printable(status.name);
  const rows = [
    ["plan", status.planId + (status.run > 1 ? `  run ${status.run}` : "")],
    ["profile", status.automationProfile],
    ["decisions", countsLine(counts)],
    ["changes", changesLine(status)],
    ...(status.digest === undefined ? [] : [["digest", status.digest]]),
    ...dispositionRows(status),
    ...(status.inProgress === undefined ? [] : [["working on", status.inProgress.decisionId]]),
    ...timeRow(status),
    ["cost on AWS", costLine(status.costUsd)],
  ].map(([label = "", value = ""]) => [paint("dim", label), value]);
  return [
    `${paint("bold", title)}  ${phaseWord(status.phase, paint)}\n`,
    ...(isPlain(status) ? [] : [`${printable(status.message)}\n`]),
    "\n",
    table(rows),
    failureSection(status, options),
    nextSection(status, paint),
  ].join("");
}

/** What was decided about the changeset, and what came of it. */
function dispositionRows({ approvals = [], applying, lastApply }: PlanStatusReply): string[][] {
  return [
    ...approvals.map(({ verdict, by, at, digest }) => [
      verdict,
      `by ${printable(by)}, ${moment(at)}  ${digest.slice(0, 12)}`,
    ]),
    ...(applying === undefined
      ? []
      : [
          [
            "applying",
            `to ${applying.project} by ${printable(applying.by)}  ${applying.digest.slice(0, 12)}`,
          ],
        ]),
    ...(lastApply === undefined ? [] : [lastApplyRow(lastApply)]),
  ];
}

function lastApplyRow({
  status,
  kind,
  project,
  revision,
  message,
  digest,
  by,
  at,
}: LastApplyReply): string[] {
  const label = kind === "rollback" ? "rolled back" : "applied";
  const done = `${project} revision ${revision} by ${printable(by)}, ${moment(at)}  ${digest.slice(0, 12)}`;
  return status === "applied" ? [label, done] : [`not ${label}`, printable(message)];
}

/** What a run waits for, and what is in the way of the last apply. */
function nextSection({ planId, waitingFor, lastApply }: PlanStatusReply, paint: Paint): string {
  const { conflicts = [], conflictCount = conflicts.length } = lastApply ?? {};
  const listed =
    conflicts.length === 0 ? "" : `\n${conflictText({ conflicts, count: conflictCount }, paint)}`;
  if (waitingFor === undefined) return listed;
  const { decisionId, digest } = waitingFor;
  return `${listed}\nTo let ${decisionId} make its external calls: planledger plan approve ${planId} --digest ${digest}\n`;
}

function failureSection(
  status: PlanStatusReply,
  { paint, landed }: { readonly paint: Paint; readonly landed?: readonly string[] },
): string {
  if (status.failures.length === 0) return "";
  const rows = status.failures.map((failure) => [
    outcomeMark(failure.status, paint),
    failure.decisionId,
    failureLine(failure),
  ]);
  const more = status.failuresTruncated
    ? `the first ${status.failures.length} only; \`planledger plan decisions ${status.planId}\` lists all\n`
    : "";
  const landedRows =
    landed === undefined || landed.length === 0
      ? ""
      : `\n${landed.map((id) => `${outcomeMark("landed", paint)}  ${id}\n`).join("")}`;
  return `${landedRows}${landedRows === "" ? "\n" : ""}${table(rows)}${more}`;
}

export function countsLine(counts: PlanStatusReply["counts"]): string {
  const parts = [
    `${counts.landed} of ${counts.total} landed`,
    ...(["failed", "skipped", "pending"] as const)
      .filter((outcome) => counts[outcome] > 0)
      .map((outcome) => `${counts[outcome]} ${outcome}`),
  ];
  return parts.join(", ");
}

/** "no changes" is a success of its own kind (F11). */
function changesLine({ noChanges, entries, toolCalls, phase }: PlanStatusReply): string {
  const calls = counted(toolCalls, "tool call");
  if (noChanges && phase === "completed") return `no changes (${calls})`;
  return `${counted(entries, "change")} by ${calls}`;
}

function timeRow({ startedAt, endedAt }: PlanStatusReply): string[][] {
  if (startedAt === undefined || endedAt === undefined) return [];
  return [["took", duration(Date.parse(endedAt) - Date.parse(startedAt))]];
}

const costLine = (usd: number): string => `${usd === 0 ? "0" : usd.toPrecision(2)} USD`;

/** The message says no more than the phase does. */
const isPlain = ({ message, phase }: PlanStatusReply): boolean =>
  message.trim() === "" || message.trim().replace(/\.$/, "").toLowerCase() === phase;
