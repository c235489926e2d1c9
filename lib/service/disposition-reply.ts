import type * as z from "zod/mini";
import type { approvalReply, LastApplyReply, PlanStatusReply } from "../api/plan-replies.ts";
import { type Approval, type LastApply, wholeLanded } from "../run/disposition.ts";
import type { Frontier } from "../run/frontier.ts";

const at = (epochMs: number): string => new Date(epochMs).toISOString();

/** What a status tells of approvals and applies; nothing where nothing was decided. */
export const dispositionReply = (
  frontier: Frontier,
): Pick<PlanStatusReply, "waitingFor" | "approval" | "approvals" | "applying" | "lastApply"> => {
  const { waitingFor, disposition } = frontier;
  const approvals = disposition?.approvals.map(approvalReplyOf) ?? [];
  const approval = approvals.at(-1);
  const apply = disposition?.apply;
  const lastApply = disposition?.lastApply;
  return {
    ...(waitingFor === undefined
      ? {}
      : { waitingFor: { decisionId: waitingFor.decisionId, digest: waitingFor.digest } }),
    ...(approval === undefined ? {} : { approval, approvals }),
    ...(apply === undefined
      ? {}
      : {
          applying: {
            digest: apply.digest,
            kind: apply.kind,
            project: apply.project,
            by: apply.by,
            at: at(apply.startedAtEpochMs),
          },
        }),
    ...(lastApply === undefined ? {} : { lastApply: lastApplyReplyOf(lastApply) }),
  };
};

const approvalReplyOf = ({ digest, verdict, by, atEpochMs }: Approval): z.output<typeof approvalReply> => ({
  digest,
  verdict,
  by,
  at: at(atEpochMs),
});

const lastApplyReplyOf = (last: LastApply): LastApplyReply => ({
  status: last.status,
  digest: last.digest,
  kind: last.kind,
  ...(last.undoes === undefined ? {} : { undoes: last.undoes }),
  ...(last.apply === undefined ? {} : { project: last.apply.project }),
  ...outcomeOf(last),
  by: last.by,
  at: at(last.atEpochMs),
});

const outcomeOf = (
  last: LastApply,
): Pick<LastApplyReply, "message" | "code" | "revision" | "conflictCount" | "conflicts"> => {
  const project = last.apply?.project ?? "the project";
  switch (last.status) {
    case "applied":
      return {
        message:
          last.kind === "rollback"
            ? `Rolled back: revision ${last.revision} of ${project} undoes ${last.undoes}.`
            : `Applied: it made revision ${last.revision} of ${project}.`,
        revision: last.revision,
      };
    case "conflicts":
      return {
        code: "target_moved",
        message: `Nothing was changed: ${project} had moved (revision ${last.revision}), ${last.conflictCount} paths are in the way.`,
        revision: last.revision,
        conflictCount: last.conflictCount,
        conflicts: [...last.conflicts],
      };
    case "failed":
      return { code: last.code, message: last.message };
    default:
      return last satisfies never;
  }
};

/** What the status says where a decision about the changeset says more than the run's end. */
export const dispositionMessage = ({ waitingFor, disposition }: Frontier): string | undefined => {
  if (waitingFor !== undefined) {
    return `Waiting: decision ${waitingFor.decisionId} has external effects, and somebody else must approve ${waitingFor.digest} first.`;
  }
  if (disposition?.apply !== undefined) {
    const { digest, project } = disposition.apply;
    return `Applying ${digest} to ${project}.`;
  }
  const landed = wholeLanded(disposition);
  return landed === undefined
    ? undefined
    : `Applied: it made revision ${landed.revision} of ${landed.project}.`;
};
