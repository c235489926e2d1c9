import { PlanledgerError, type PlanledgerErrorOptions } from "../errors/planledger-error.ts";

export interface ToolErrorOptions extends PlanledgerErrorOptions {
  /** What the tool gave out before it failed; kept like any output. */
  readonly output?: string | Uint8Array;
}

/** A refusal or a failure that a tool raises on purpose: the outcome of its call, under this code. */
export class ToolError extends PlanledgerError {
  readonly output: string | Uint8Array;

  constructor(options: ToolErrorOptions) {
    super(options);
    this.output = options.output ?? "";
  }
}
