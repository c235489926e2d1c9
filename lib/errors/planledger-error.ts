import type { ErrorCode } from "./error-code.ts";

/** What a caller can act on: the field at fault (a JSON pointer or a parameter's name), the limit, the allowed values, … */
export type ErrorDetails = Readonly<Record<string, unknown>>;

export interface PlanledgerErrorOptions {
  readonly code: ErrorCode;
  readonly message: string;
  /** True when the same request may succeed later without a change. */
  readonly retryable?: boolean;
  readonly details?: ErrorDetails;
  readonly cause?: unknown;
}

/**
 * The root of every error that Planledger raises on purpose. `code` is stable and part of the public contract;
 * `message` says what was wrong, where, what is allowed and what to do. It knows no HTTP: `http-status.ts` maps codes.
 */
export class PlanledgerError extends Error {
  readonly code: ErrorCode;
  readonly retryable: boolean;
  readonly details: ErrorDetails;

  constructor(options: PlanledgerErrorOptions) {
    super(options.message, options.cause === undefined ? undefined : { cause: options.cause });
    this.name = new.target.name;
    this.code = options.code;
    this.retryable = options.retryable ?? false;
    this.details = options.details ?? {};
  }
}

/** An argument, a document or a field breaks its rule. `field` names it. */
export class ValidationError extends PlanledgerError {
  readonly field: string;

  constructor(options: {
    readonly field: string;
    readonly message: string;
    readonly code?: ErrorCode;
    readonly details?: ErrorDetails;
    readonly cause?: unknown;
  }) {
    super({
      code: options.code ?? "validation_failed",
      message: options.message,
      details: { ...options.details, field: options.field },
      cause: options.cause,
    });
    this.field = options.field;
  }
}

/** The plan is not in a state that allows what was asked (R11). */
export class PlanError extends PlanledgerError {}

/** Something stands in the way: another run, another document, another writer (R34, F13). `details` says what. */
export class ConflictError extends PlanledgerError {}

/** There is no such thing for this tenant. */
export class NotFoundError extends PlanledgerError {}

/** Missing, wrong, expired or revoked token (401), or a token without the scope (403). */
export class AccessError extends PlanledgerError {}

/** A part that we depend on failed or throttled; trying again is right. Never the outcome of a decision. */
export class InfrastructureError extends PlanledgerError {
  constructor(options: {
    readonly message: string;
    readonly cause?: unknown;
    readonly code?: ErrorCode;
    readonly details?: ErrorDetails;
  }) {
    super({
      code: options.code ?? "unavailable",
      message: options.message,
      retryable: true,
      cause: options.cause,
      ...(options.details === undefined ? {} : { details: options.details }),
    });
  }
}
