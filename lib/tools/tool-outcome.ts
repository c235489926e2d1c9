import type { ErrorCode } from "../errors/error-code.ts";

/** Output of a call as it is kept: at most 64 KiB, the rest cut and counted. */
export interface KeptOutput {
  readonly bytes: Uint8Array;
  /** Of the whole output, before it was cut. */
  readonly sizeBytes: number;
  readonly truncated: boolean;
  /** SHA-256 of the whole output. */
  readonly sha256: string;
}

export type ToolFailure = {
  readonly code: ErrorCode;
  readonly message: string;
  readonly details?: Readonly<Record<string, unknown>>;
};

/** How a call ended. A failure is an outcome of the work; a fault of the infrastructure is thrown instead. */
export type ToolOutcome =
  | { readonly status: "succeeded"; readonly output: KeptOutput }
  | { readonly status: "failed"; readonly failure: ToolFailure; readonly output: KeptOutput };
