import { createHash } from "node:crypto";
import { canonicalJson } from "../canonical/canonical-json.ts";
import type { CompiledDecision } from "../plan/compiled-plan.ts";

/**
 * What an approval of a decision with external effects is bound to: the chain so far, extended by what the decision would
 * call. SHA-256(chain head ‖ canonical form of `["planledger-release/1", decisionId, tool calls]`), the head as its 32 bytes.
 */
export function releaseDigest(
  chainHead: string,
  { id, toolCalls }: Pick<CompiledDecision, "id" | "toolCalls">,
): string {
  const calls = toolCalls.map(({ tool, input }) => ({ tool, input }));
  return createHash("sha256")
    .update(Buffer.from(chainHead, "hex"))
    .update(canonicalJson(["planledger-release/1", id, calls]))
    .digest("hex");
}
