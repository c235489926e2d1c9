import * as z from "zod/mini";
import { scopes } from "../access/token-store.ts";

const text = z.string().check(z.minLength(1));

/** A principal, as tokens have them. */
const principal = z
  .string()
  .check(
    z.regex(
      /^[A-Za-z0-9][A-Za-z0-9._@-]{0,127}$/,
      "must be 1 to 128 letters (A–Z, a–z), digits, '.', '_', '@' or '-', the first a letter or a digit",
    ),
  );

/** For whom a submissions queue speaks: everything that is sent to it is this principal's of this tenant. */
export const submissionCaller = z.strictObject({
  tenant: text,
  principal,
  scopes: z.array(z.enum(scopes)),
});

/** The submissions queues of a deployment as its function knows them: by the name that stands at the end of a queue's ARN. */
export const submissionQueues = z.record(
  z.string(),
  z.strictObject({ ...submissionCaller.shape, queueUrl: z.url(), deadLetterUrl: z.url() }),
);
export type SubmissionQueues = z.output<typeof submissionQueues>;
