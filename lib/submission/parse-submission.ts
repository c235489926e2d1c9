import * as z from "zod/mini";
import { validated } from "../api/validated.ts";
import { parseStrictJson } from "../canonical/parse-strict-json.ts";
import { ValidationError } from "../errors/planledger-error.ts";

/** What a message on a submissions queue asks for; `plan` is what the body of `POST /v1/plans/{planId}/execute` is. */
export interface Submission {
  readonly planId: string;
  readonly plan: unknown;
}

const submission = z.strictObject({
  v: z.literal(1),
  planId: z.string(),
  plan: z.unknown().check(z.refine((plan) => plan !== undefined, "is required")),
});

/** Said by the queue's configuration alone: a message that could say it could speak for others. */
const saidByQueue = ["tenant", "principal", "scopes"] as const;

/**
 * Reads the body of a message, as strictly as a request's. `attributeNames` are those of the message's own attributes. Whoever
 * names a tenant, a principal or scopes, there or in the body, is refused, whatever the value. Throws a `ValidationError`.
 */
export const parseSubmission = (body: string, attributeNames: readonly string[]): Submission => {
  const value = parseStrictJson(body);
  const named = saidByQueue.find(
    (member) => attributeNames.includes(member) || (isObject(value) && Object.hasOwn(value, member)),
  );
  if (named !== undefined) {
    throw new ValidationError({
      field: `/${named}`,
      message: `A message cannot say for whom it is sent: its ${named} is that of the queue, by the service's configuration. Leave ${named} out, or send to the queue of that tenant.`,
    });
  }
  const { planId, plan } = validated(submission, value);
  return { planId, plan };
};

const isObject = (value: unknown): value is object => typeof value === "object" && value !== null;
