import * as z from "zod/mini";
import { type ErrorCode, errorCodes } from "../errors/error-code.ts";
import {
  AccessError,
  ConflictError,
  type ErrorDetails,
  InfrastructureError,
  NotFoundError,
  PlanledgerError,
  ValidationError,
} from "../errors/planledger-error.ts";

const problem = z.looseObject({
  code: z.string(),
  title: z.optional(z.string()),
  detail: z.optional(z.string()),
  field: z.optional(z.string()),
  details: z.optional(z.record(z.string(), z.unknown())),
});

const knownCodes: ReadonlySet<string> = new Set(errorCodes);
const isErrorCode = (code: string): code is ErrorCode => knownCodes.has(code);
const standardMembers = new Set([
  "type",
  "title",
  "status",
  "detail",
  "instance",
  "code",
  "field",
  "details",
]);

/**
 * The named error that a problem document stands for, so that a caller tells failures apart by class and `code` as in
 * process. `details` holds the document's own, its extension members and the HTTP `status`; a code that this
 * version does not know becomes the status's general one, with the original in `details.remoteCode`. A body that is no
 * problem document (a gateway's own) is quoted, cut to 200 characters.
 */
export function problemError(reply: { readonly status: number; readonly body: string }): PlanledgerError {
  const parsed = problem.safeParse(parsedJson(reply.body));
  if (!parsed.success) {
    const quoted = reply.body.trim().slice(0, 200);
    return byStatus({
      status: reply.status,
      code: generalCode(reply.status),
      message: `the service answered ${reply.status}${quoted === "" ? "" : `: ${quoted}`}`,
      field: undefined,
      details: { status: reply.status },
    });
  }
  const { code, title, detail, field, details, ...rest } = parsed.data;
  const extensions = Object.fromEntries(Object.entries(rest).filter(([name]) => !standardMembers.has(name)));
  return byStatus({
    status: reply.status,
    code: isErrorCode(code) ? code : generalCode(reply.status),
    message: detail ?? title ?? `the service answered ${reply.status} (${code})`,
    field,
    details: {
      ...extensions,
      ...details,
      status: reply.status,
      ...(isErrorCode(code) ? {} : { remoteCode: code }),
    },
  });
}

function parsedJson(body: string): unknown {
  try {
    return JSON.parse(body);
  } catch {
    return undefined;
  }
}

function generalCode(status: number): ErrorCode {
  if (status === 401) return "unauthenticated";
  if (status === 403) return "forbidden";
  if (status === 404) return "not_found";
  if (status === 405) return "method_not_allowed";
  if (status === 409) return "phase_conflict";
  if (status === 413) return "body_too_large";
  if (status === 415) return "unsupported_media_type";
  if (status === 429) return "quota_exceeded";
  if (status === 502 || status === 503 || status === 504) return "unavailable";
  return status < 500 ? "validation_failed" : "internal";
}

interface ProblemParts {
  readonly status: number;
  readonly code: ErrorCode;
  readonly message: string;
  readonly field: string | undefined;
  readonly details: ErrorDetails;
}

function byStatus(parts: ProblemParts): PlanledgerError {
  const { status, code, message, details } = parts;
  if (status === 401 || status === 403) return new AccessError({ code, message, details });
  if (status === 404) return new NotFoundError({ code, message, details });
  if (status === 409 || status === 412) return new ConflictError({ code, message, details });
  if (status === 429) return new PlanledgerError({ code, message, details, retryable: true });
  if (status === 502 || status === 503 || status === 504) {
    return new InfrastructureError({ code, message, details });
  }
  if (status < 500 && parts.field !== undefined) {
    return new ValidationError({ field: parts.field, code, message, details });
  }
  if (status === 400 || status === 422) return new ValidationError({ field: "body", code, message, details });
  return new PlanledgerError({ code, message, details });
}
