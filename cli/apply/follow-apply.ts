import { setTimeout as delay } from "node:timers/promises";
import type { LastApplyReply } from "#lib/api/plan-replies.ts";
import type { PlanledgerClient } from "#lib/client/planledger-client.ts";
import { PlanledgerError } from "#lib/errors/planledger-error.ts";
import { patience } from "../patience.ts";
import type { Session } from "../session.ts";

const shortestPollMs = 20;
const longestPollMs = 1_000;

/** Waits until the apply of a digest, which the service has accepted, is over; answers how it ended. */
export async function followApply(
  { client, session }: { readonly client: PlanledgerClient; readonly session: Session },
  { planId, digest }: { readonly planId: string; readonly digest: string },
): Promise<LastApplyReply> {
  const { signal } = session;
  const goesOn = `the apply goes on, and \`planledger plan status ${planId}\` tells how it ended`;
  const waiting = patience(session, { later: goesOn });
  try {
    for (let pollMs = shortestPollMs; ; pollMs = Math.min(longestPollMs, pollMs * 2)) {
      const status = await client
        .planStatus({ planId, signal })
        .catch((fault: unknown) => waiting.wait(fault));
      if (status === undefined) continue;
      waiting.answered();
      const { applying, lastApply } = status;
      if (applying?.digest !== digest) {
        if (lastApply?.digest === digest) return lastApply;
        throw new PlanledgerError({
          code: "internal",
          message: `the apply of ${digest} is over, and something else was applied since; \`planledger plan events ${planId}\` tells how it ended`,
        });
      }
      await delay(pollMs, undefined, { signal });
    }
  } catch (fault) {
    if (!signal.aborted) throw fault;
    throw Object.assign(new Error(`stopped waiting; ${goesOn}`, { cause: fault }), { code: "aborted" });
  }
}
