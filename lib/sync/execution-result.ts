import { invalidArgument, requireArguments } from "../runtime/constructor-argument.ts";

export interface ExecutionResultOptions {
  readonly planId: string;
  readonly serverPlanId: string;
  /** The phase that the service answered with: `submitted`, `applying`, … */
  readonly status: string;
  readonly message: string;
}

/** How the service took an order about a plan. Immutable; a field that is no text is a `ValidationError` that names it. */
export class ExecutionResult implements ExecutionResultOptions {
  readonly planId: string;
  readonly serverPlanId: string;
  readonly status: string;
  readonly message: string;

  constructor(options: ExecutionResultOptions) {
    requireArguments("ExecutionResult", options);
    this.planId = text("planId", options.planId);
    this.serverPlanId = text("serverPlanId", options.serverPlanId);
    this.status = text("status", options.status);
    this.message = options.message === "" ? "" : text("message", options.message);
    Object.freeze(this);
  }
}

function text(field: string, value: unknown): string {
  if (typeof value === "string" && value !== "") return value;
  throw invalidArgument({ owner: "ExecutionResult", field, value, expected: "a non-empty string" });
}
