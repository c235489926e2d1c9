import type { TracedEntryReply } from "#lib/api/apply-replies.ts";
import type { DecisionReply } from "#lib/api/plan-replies.ts";
import type { Paint } from "../paint.ts";
import { oneLine, printable } from "../print-safely.ts";
import { changeRows } from "./change-list.ts";
import { duration } from "./moment.ts";
import { failureLine, outcomeMark, outcomeWord } from "./outcome.ts";
import { table } from "./table.ts";

export interface Explanation {
  readonly decision: DecisionReply;
  /** From the decision up to the root. */
  readonly why: readonly { readonly decisionId: string; readonly rationale?: string }[];
  /** In which what it changed stands, oldest first. */
  readonly revisions: TracedEntryReply["revisions"];
  readonly diff: Uint8Array;
}

/** Why, what it called, what it changed; the diff at the end as bytes. */
export async function* explanationText(
  { decision, why, revisions, diff }: Explanation,
  paint: Paint,
): AsyncGenerator<string | Uint8Array> {
  const { decisionId, status, failure, calls, entries, dependsOn } = decision;
  yield `${outcomeMark(status, paint)} ${paint("bold", decisionId)}  ${outcomeWord(status, paint)}`;
  yield `${failure === undefined ? "" : `  ${failureLine(failure)}`}\n`;

  yield `\n${paint("dim", "why")}\n`;
  yield table(
    why.map(({ decisionId: id, rationale }, step) => [
      `  ${step === 0 ? "" : paint("dim", "because ")}${id}`,
      rationale === undefined
        ? paint("dim", step > 0 && step === why.length - 1 ? "(root)" : "")
        : printable(rationale),
    ]),
  );
  if (dependsOn.length > 0) yield `  ${paint("dim", "after")} ${dependsOn.join(", ")}\n`;

  if (calls.length > 0) yield `\n${paint("dim", "called")}\n`;
  for (const call of calls) yield callText(call, paint);

  yield `\n${paint("dim", "changed")}\n`;
  yield entries.length === 0
    ? "  nothing\n"
    : table(changeRows(entries, paint).map(([letter = "", path = ""]) => [`  ${letter}`, path]));
  if (revisions.length > 0) {
    yield `\n${paint("dim", "applied")}\n`;
    yield table(revisions.map((revision) => [`  ${revisionWords(revision)}`]));
  }
  if (diff.byteLength > 0) {
    yield "\n";
    yield diff;
  }
}

export const revisionWords = ({
  project,
  revision,
  kind,
  digest,
}: TracedEntryReply["revisions"][number]): string =>
  `${project} revision ${revision}  ${kind === "sealed" ? "" : `${kind} `}${digest.slice(0, 12)}`;

const mostOutputLines = 12;

function callText(call: DecisionReply["calls"][number], paint: Paint): string {
  const mark = outcomeMark(call.status === "succeeded" ? "landed" : "failed", paint);
  const head = `  ${mark} ${call.tool}  ${oneLine(inputSummary(call.input), 100)}  ${paint("dim", duration(call.durationMs))}\n`;
  const failed =
    call.failure === undefined ? "" : `    ${call.failure.code}: ${printable(call.failure.message)}\n`;
  const lines = call.output.split("\n");
  if (lines.at(-1) === "") lines.pop();
  const shown = lines
    .slice(0, mostOutputLines)
    .map((line) => `    ${paint("dim", printable(line).slice(0, 200))}\n`);
  const left = lines.length - shown.length;
  const more =
    left > 0 || call.outputTruncated ? `    ${paint("dim", `… ${call.outputSizeBytes} bytes in all`)}\n` : "";
  return head + failed + shown.join("") + more;
}

/** An input as `name: value`, each value in short. */
export function inputSummary(input: unknown): string {
  if (typeof input !== "object" || input === null) return JSON.stringify(input) ?? "";
  return Object.entries(input)
    .map(
      ([name, value]) => `${name}: ${oneLine(typeof value === "string" ? value : JSON.stringify(value), 40)}`,
    )
    .join("  ");
}
