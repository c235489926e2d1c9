import type * as z from "zod/mini";
import type { failureReply } from "../api/plan-replies.ts";
import type { DecisionRecord } from "../run/decision-record.ts";

/** Why a decision did not land, as the API tells it; `undefined` when it did. */
export const failureReplyOf = (
  record: Pick<DecisionRecord, "decisionId" | "outcome">,
): z.output<typeof failureReply> | undefined => {
  const { decisionId, outcome } = record;
  switch (outcome.status) {
    case "landed":
      return undefined;
    case "failed":
      return {
        decisionId,
        status: "failed",
        code: outcome.failure.code,
        message: outcome.failure.message,
        ...(outcome.callOrdinal === undefined ? {} : { callOrdinal: outcome.callOrdinal }),
      };
    case "skipped":
      return {
        decisionId,
        status: "skipped",
        code: "dependency_failed",
        message: `Skipped, since ${outcome.because.join(", ")} did not land.`,
        because: [...outcome.because],
      };
    default:
      return outcome satisfies never;
  }
};
