import type { AcceptedReply } from "#lib/api/plan-replies.ts";
import type { PlanledgerClient } from "#lib/client/planledger-client.ts";
import { ConflictError } from "#lib/errors/planledger-error.ts";
import type { CommandResult } from "../command-result.ts";
import { acceptedResult } from "../render/accepted.ts";
import { appliedResult } from "../render/applied.ts";
import { conflictsOf, conflictText } from "../render/conflict-list.ts";
import type { Session } from "../session.ts";
import { previewDerived, previewJson, previewText } from "./derived-preview.ts";
import { followApply } from "./follow-apply.ts";

export interface ProjectApply {
  readonly planId: string;
  readonly digest: string;
  readonly allowFailed?: boolean | undefined;
  /** `false`: return as soon as the service has accepted it. */
  readonly watch: boolean;
}

interface Context {
  readonly client: PlanledgerClient;
  readonly session: Session;
}

/**
 * Applies a digest to the plan's project and waits for the outcome. Where the project has moved it makes the changeset merged
 * onto it, or the rollback anew, shows that, and stops: its digest is another, and nobody has reviewed it. Conflicts are thrown
 * as the `ConflictError` that lists them.
 */
export async function applyToProject(
  context: Context,
  order: ProjectApply,
  kind: "apply" | "rollback",
): Promise<CommandResult> {
  const { client, session } = context;
  const { planId, digest, allowFailed, watch } = order;
  const { signal } = session;
  let accepted: AcceptedReply;
  try {
    accepted =
      kind === "rollback"
        ? await client.rollback({ planId, digest, signal })
        : await client.apply({
            planId,
            digest,
            signal,
            ...(allowFailed === undefined ? {} : { allowFailed }),
          });
  } catch (fault) {
    if (!(fault instanceof ConflictError) || fault.code !== "target_moved") throw fault;
    return movedResult(context, order, fault);
  }
  if (!watch) return acceptedResult(accepted);
  const lastApply = await followApply(context, { planId, digest });
  if (lastApply.status !== "conflicts") return appliedResult(accepted.planId, lastApply);
  const { message, conflicts, conflictCount, project } = lastApply;
  const details = { conflicts, conflictCount, project };
  return movedResult(context, order, new ConflictError({ code: "target_moved", message, details }));
}

/** The same change made for the project as it is now, to be reviewed: nothing was applied, so the work failed. */
async function movedResult(
  context: Context,
  order: ProjectApply,
  moved: ConflictError,
): Promise<CommandResult> {
  const { client, session } = context;
  const { signal } = session;
  const derived = await client.derive({ ...(await remade(context, order)), signal });
  const preview = await previewDerived(context, derived, { allowFailed: order.allowFailed });
  const inTheWay = conflictsOf(moved.details);
  const project = typeof moved.details.project === "string" ? moved.details.project : "the project";
  return {
    json: () => ({
      planId: derived.planId,
      status: "target_moved",
      digest: order.digest,
      conflicts: inTheWay?.conflicts ?? [],
      derived: previewJson(preview),
    }),
    text: (paint) =>
      [
        `${paint("yellow", "!")} ${project} has moved; nothing was applied:\n`,
        inTheWay === undefined ? "" : conflictText(inTheWay, paint),
        derived.kind === "rollback"
          ? "\nThe rollback, made anew for the project as it is now:\n"
          : "\nThe change merged onto the project as it is now:\n",
        previewText(preview, paint),
      ].join(""),
    failed: true,
  };
}

async function remade({ client, session }: Context, { planId, digest }: ProjectApply) {
  const { signal } = session;
  const { digest: sealed } = await client.planStatus({ planId, signal });
  if (sealed === digest) return { planId, kind: "merge", of: digest } as const;
  for await (const { kind, undoes } of client.derived({ planId, digest, limit: 1, signal })) {
    if (kind === "rollback" && undoes !== undefined) return { planId, kind, of: undoes } as const;
    break;
  }
  return { planId, kind: "merge", of: digest } as const;
}
