import type { Command } from "commander";
import * as z from "zod/mini";
import type { DerivedReply } from "#lib/api/apply-replies.ts";
import type { PlanledgerClient } from "#lib/client/planledger-client.ts";
import { ConflictError } from "#lib/errors/planledger-error.ts";
import { applyToProject } from "../apply/apply-to-project.ts";
import { previewDerived, previewJson, previewText } from "../apply/derived-preview.ts";
import { connect } from "../connect.ts";
import { digestOption } from "../digest-option.ts";
import { runAction } from "../run-action.ts";
import type { Session } from "../session.ts";
import { UsageError } from "../usage-error.ts";

interface Options {
  readonly json?: boolean;
  readonly digest?: string;
  readonly of?: string;
  readonly watch: boolean;
}

/** `plan rollback ID`: makes the rollback, shows it and stops; with its digest it is done. */
export function addPlanRollback(plan: Command, session: Session): void {
  plan
    .command("rollback")
    .description("take back what was applied: shows the rollback and its digest; with that digest does it")
    .argument("<id>", "the plan's id, or its pln_ id")
    .option("--digest <digest>", "of the rollback that was reviewed", digestOption)
    .option("--of <digest>", "of the applied changeset to undo; the last one without it", digestOption)
    .option("--watch", "wait for the outcome (what it does anyway)", true)
    .option("--no-watch", "return as soon as the service has accepted it")
    .option("--json", "print the rollback, or the outcome, as one JSON document")
    .action((planId: string, { digest, of, watch, json }: Options) =>
      runAction(session, { json }, async () => {
        if (digest !== undefined && of !== undefined) {
          throw new UsageError("--of makes a rollback, --digest does one that was made: give one of them");
        }
        const client = await connect(session);
        const context = { client, session };
        if (digest !== undefined) return applyToProject(context, { planId, digest, watch }, "rollback");
        const preview = await previewDerived(context, await makeRollback(client, { planId, of, session }));
        return { json: () => previewJson(preview), text: (paint) => previewText(preview, paint) };
      }),
    );
}

const standing = z.array(z.string());

/** Of the digest given, else of the changeset that was applied last and still stands. */
async function makeRollback(
  client: PlanledgerClient,
  order: { readonly planId: string; readonly of: string | undefined; readonly session: Session },
): Promise<DerivedReply> {
  const { planId, session } = order;
  const { signal } = session;
  const derive = (of: string) => client.derive({ planId, kind: "rollback", of, signal });
  if (order.of !== undefined) return derive(order.of);
  const { digest, lastApply } = await client.planStatus({ planId, signal });
  const last = lastApply?.status === "applied" && lastApply.kind !== "rollback" ? lastApply.digest : digest;
  if (last === undefined) {
    throw new ConflictError({ code: "not_applied", message: `nothing of plan ${planId} was applied yet` });
  }
  try {
    return await derive(last);
  } catch (fault) {
    if (!(fault instanceof ConflictError) || fault.code !== "not_applied") throw fault;
    const applied = standing.safeParse(fault.details.applied);
    const newest = applied.success ? applied.data.at(-1) : undefined;
    if (newest === undefined || newest === last) throw fault;
    return derive(newest);
  }
}
