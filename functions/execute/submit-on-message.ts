import type { Caller } from "#lib/access/caller.ts";
import { requireScope } from "#lib/access/require-caller.ts";
import { PlanledgerError } from "#lib/errors/planledger-error.ts";
import { faultFields } from "#lib/log/fault-fields.ts";
import type { Log } from "#lib/log/log.ts";
import type { SubmitPorts } from "#lib/service/submit-plan.ts";
import { judgeSubmissionFault } from "#lib/submission/judge-submission-fault.ts";
import { parseSubmission } from "#lib/submission/parse-submission.ts";
import type { SubmissionReturns } from "#lib/submission/submission-returns.ts";
import type { ToolRegistry } from "#lib/tools/tool-registry.ts";
import type { QueueMessage } from "../queue-function.ts";

export interface SubmissionPorts extends Omit<SubmitPorts, "tools"> {
  /** Loaded, with what submits, for the first message that can be read. */
  readonly tools: () => Promise<ToolRegistry>;
  /** For whom each queue speaks, by its name. */
  readonly queues: Readonly<Record<string, Caller>>;
  readonly returns: SubmissionReturns;
  /** In [0, 1). */
  readonly random: () => number;
  readonly log: Log;
}

/**
 * Submits the plan of a message as `POST /v1/plans/{planId}/execute` does, for the tenant and principal of the queue. What is
 * refused goes among the dead letters with the reason, what must wait back onto the queue. Throws when the message must come
 * back by itself.
 */
export const submitOnMessage =
  (ports: SubmissionPorts) =>
  async (message: QueueMessage): Promise<void> => {
    const { queueName: queue, messageId, body } = message;
    const caller = queue === undefined ? undefined : ports.queues[queue];
    if (queue === undefined || caller === undefined) {
      throw new PlanledgerError({
        code: "internal",
        message: `The queue ${queue ?? "of a message without a source"} is no submissions queue of this deployment.`,
      });
    }
    const told = { queue, tenant: caller.tenant, messageId };
    try {
      requireScope(caller, "plans:write");
      const { planId, plan } = parseSubmission(body, Object.keys(message.attributes ?? {}));
      const { submitPlan } = await import("#lib/service/submit-plan.ts");
      await submitPlan({ ...ports, tools: await ports.tools() }, { caller, planId, body: plan });
      ports.log.write({ level: "info", event: "submission_taken", ...told, planId });
    } catch (error) {
      const fault = judgeSubmissionFault(error, {
        attempt: attemptOf(message),
        random: ports.random(),
      });
      if (!(await returned(ports, { queue, messageId, body }, fault))) throw error;
      ports.log.write({
        level: "warn",
        event: fault.kind === "refused" ? "submission_refused" : "submission_put_off",
        ...told,
        ...(fault.kind === "later" ? { attempt: fault.attempt } : {}),
        ...codeOf(error),
      });
    }
  };

const returned = async (
  { returns }: SubmissionPorts,
  message: { readonly queue: string; readonly messageId: string; readonly body: string },
  fault: ReturnType<typeof judgeSubmissionFault>,
): Promise<boolean> => {
  switch (fault.kind) {
    case "refused":
      return returns.refuse(message, fault.refusal);
    case "later":
      return returns.later(message, fault);
    case "fault":
      return false;
    default:
      return fault satisfies never;
  }
};

/** Whoever sends may set it too: all that it changes is how long their own message is tried. */
const attemptOf = ({ attributes = {} }: QueueMessage): number => {
  const attempt = Number(attributes.attempt);
  return Number.isSafeInteger(attempt) && attempt > 0 ? attempt : 0;
};

/** Not the message: it may quote what was sent, and stands beside the dead letter. */
const codeOf = (error: unknown) => {
  const { code, error: name } = faultFields(error);
  return { error: name, ...(code === undefined ? {} : { code }) };
};
