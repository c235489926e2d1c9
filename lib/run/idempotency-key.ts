import { canonicalSha256 } from "../canonical/canonical-json.ts";

/** The same on every repetition of an external call, in whichever run or attempt: it is made of what the call is. */
export function idempotencyKey(call: {
  readonly planId: string;
  readonly decisionId: string;
  readonly callOrdinal: number;
  readonly inputSha256: string;
}): string {
  const { planId, decisionId, callOrdinal, inputSha256 } = call;
  return canonicalSha256(["planledger-call/1", planId, decisionId, callOrdinal, inputSha256]);
}
