import type { AcceptedReply } from "#lib/api/plan-replies.ts";
import type { CommandResult } from "../command-result.ts";
import { printable } from "../print-safely.ts";
import { phaseWord } from "./status.ts";

/** What the service accepted, on one line. */
export const acceptedResult = (accepted: AcceptedReply): CommandResult => ({
  json: () => accepted,
  text: (paint) =>
    `${accepted.planId}  ${phaseWord(accepted.status, paint)}  ${printable(accepted.message)}\n`,
});
