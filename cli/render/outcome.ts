import type { DecisionReply } from "#lib/api/plan-replies.ts";
import type { Paint } from "../paint.ts";
import { printable } from "../print-safely.ts";

type Status = DecisionReply["status"];

const marks: Readonly<Record<Status, string>> = { landed: "✓", failed: "✗", skipped: "-", pending: "·" };
const colours = { landed: "green", failed: "red", skipped: "yellow", pending: "dim" } as const;

/** `✓`, `✗`, `-` or `·`. */
export const outcomeMark = (status: Status, paint: Paint): string => paint(colours[status], marks[status]);
export const outcomeWord = (status: Status, paint: Paint): string => paint(colours[status], status);

/** Why a decision did not land, on one line. */
export function failureLine(failure: NonNullable<DecisionReply["failure"]>): string {
  if (failure.status === "skipped") {
    const because = failure.because ?? [];
    if (because.length > 0) return `${because.join(", ")} did not land`;
  }
  const call = failure.callOrdinal === undefined ? "" : ` (call ${failure.callOrdinal})`;
  return `${failure.code}${call}: ${printable(failure.message)}`;
}
