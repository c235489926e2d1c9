import type { TracedEntryReply } from "#lib/api/apply-replies.ts";
import type { Paint } from "../paint.ts";
import { oneLine, printable, shownPath } from "../print-safely.ts";
import { counted } from "./counted.ts";
import { inputSummary, revisionWords } from "./explanation.ts";
import { table } from "./table.ts";

/** Every change of a path: which decision made it with which call, why up to the root, and where it stands. */
export function traceText(
  { path, traces }: { readonly path: string; readonly traces: readonly TracedEntryReply[] },
  paint: Paint,
): string {
  return [
    `${paint("bold", shownPath(path))}  ${counted(traces.length, "change")}\n`,
    ...traces.map((trace) => entryText(trace, paint)),
  ].join("");
}

function entryText({ entry, run, call, why, revisions }: TracedEntryReply, paint: Paint): string {
  const from = entry.movedFrom === undefined ? "" : ` from ${shownPath(entry.movedFrom)}`;
  const rows = [
    [
      "called",
      `${call.tool}  ${paint("dim", oneLine(inputSummary(call.input), 100))}  (call ${call.callOrdinal})`,
    ],
    ...why.map(({ decisionId, rationale }, step) => [
      step === 0 ? "why" : "because",
      `${decisionId}${rationale === undefined ? "" : `: ${printable(rationale)}`}`,
    ]),
    ...(revisions.length === 0
      ? [["applied", "nowhere yet"]]
      : revisions.map((revision) => ["applied", revisionWords(revision)])),
  ].map(([label = "", value = ""]) => [`  ${paint("dim", label)}`, value]);
  return `\n${entry.kind}${from} by ${paint("bold", entry.decisionId)}${run > 1 ? `, run ${run}` : ""}\n${table(rows)}`;
}
