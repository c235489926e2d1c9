import * as z from "zod/mini";
import { errorCodes } from "../errors/error-code.ts";
import { PlanledgerError } from "../errors/planledger-error.ts";
import { httpStatusOf } from "./http-status.ts";

/**
 * RFC 9457. `code` is stable; `field` is a JSON pointer into the body, or the name of a parameter; `details` holds what is
 * in the way, the limit or the allowed values; `requestId` finds the request in the logs.
 */
export const problemDocument = z.strictObject({
  type: z.string(),
  title: z.string(),
  status: z.int(),
  detail: z.string(),
  code: z.enum(errorCodes),
  field: z.optional(z.string()),
  details: z.optional(z.record(z.string(), z.unknown())),
  requestId: z.optional(z.string()),
});
export type ProblemDocument = z.infer<typeof problemDocument>;

export const problemContentType = "application/problem+json";

const titleOf = (code: string): string => {
  const words = code.replaceAll("_", " ");
  return words.charAt(0).toUpperCase() + words.slice(1);
};

/**
 * The problem document of anything that was thrown. What Planledger did not raise on purpose is `internal` and tells
 * nothing of itself: its message and stack go to the log alone.
 */
export const problemOf = (error: unknown, requestId: string): ProblemDocument => {
  if (!(error instanceof PlanledgerError)) {
    return {
      type: "urn:planledger:problem:internal",
      title: titleOf("internal"),
      status: 500,
      detail: `The service failed. Send the same request again; if it fails again, report request ${requestId}.`,
      code: "internal",
      requestId,
    };
  }
  const { field, ...details } = error.details;
  return {
    type: `urn:planledger:problem:${error.code}`,
    title: titleOf(error.code),
    status: httpStatusOf(error.code),
    detail: error.message,
    code: error.code,
    ...(typeof field === "string" ? { field } : {}),
    ...(Object.keys(details).length > 0 ? { details } : {}),
    requestId,
  };
};
