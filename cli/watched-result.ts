import type { PlanStatusReply } from "#lib/api/plan-replies.ts";
import type { PlanledgerClient } from "#lib/client/planledger-client.ts";
import type { CommandResult } from "./command-result.ts";
import { statusResult } from "./commands/plan-status.ts";
import type { Session } from "./session.ts";

/** How a plan ended that somebody watched: a run that did not complete is a failure of the work. */
export async function watchedResult(
  context: { readonly session: Session; readonly client: PlanledgerClient },
  status: PlanStatusReply,
): Promise<CommandResult> {
  const shown = await statusResult(context, status);
  return { ...shown, failed: status.phase === "failed" || status.phase === "cancelled" };
}
