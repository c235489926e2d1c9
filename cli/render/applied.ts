import type { LastApplyReply } from "#lib/api/plan-replies.ts";
import type { CommandResult } from "../command-result.ts";
import { printable } from "../print-safely.ts";
import { conflictText } from "./conflict-list.ts";

/** How an apply or a rollback ended; anything but applied is a failure of the work. */
export const appliedResult = (planId: string, lastApply: LastApplyReply): CommandResult => ({
  json: () => ({ planId, ...lastApply }),
  text: (paint) => {
    const { status, message, digest, conflicts = [], conflictCount = conflicts.length } = lastApply;
    const mark = status === "applied" ? paint("green", "✓") : paint("red", "✗");
    const listed = conflicts.length === 0 ? "" : conflictText({ conflicts, count: conflictCount }, paint);
    return `${mark} ${planId}  ${printable(message)}\n${listed}${paint("dim", `  ${digest}`)}\n`;
  },
  failed: lastApply.status !== "applied",
});
