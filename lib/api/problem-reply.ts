import { PlanledgerError } from "../errors/planledger-error.ts";
import type { ApiReply } from "./api-reply.ts";
import { problemContentType, problemOf } from "./problem-document.ts";

/** The reply to an error, with the headers that its status calls for. */
export const problemReply = (error: unknown, requestId: string): ApiReply => {
  const problem = problemOf(error, requestId);
  return {
    status: problem.status,
    headers: headersOf(error),
    body: { kind: "json", value: problem, contentType: problemContentType },
  };
};

const headersOf = (error: unknown): Readonly<Record<string, string>> => {
  if (!(error instanceof PlanledgerError)) return {};
  const { allowed, retryAfterSeconds } = error.details;
  switch (error.code) {
    case "unauthenticated":
      return { "www-authenticate": 'Bearer realm="planledger"' };
    case "method_not_allowed":
      return Array.isArray(allowed) ? { allow: allowed.join(", ") } : {};
    case "quota_exceeded":
      return { "retry-after": String(typeof retryAfterSeconds === "number" ? retryAfterSeconds : 1) };
    case "unavailable":
    case "store_conflict":
      return { "retry-after": "1" };
    default:
      return {};
  }
};
