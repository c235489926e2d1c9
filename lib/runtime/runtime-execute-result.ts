import type { CallRecord, DecisionOutcome } from "../run/decision-record.ts";
import { invalidArgument, requireArguments } from "./constructor-argument.ts";

const owner = "RuntimeExecuteResult";

/** How one decision became final, and its calls that ran, a failed one and what it gave back included. */
export interface DecisionResult {
  readonly decisionId: string;
  readonly outcome: DecisionOutcome;
  readonly calls: readonly CallRecord[];
}

export interface RuntimeExecuteResultOptions {
  readonly changesetId: string;
  readonly toolCallCount: number;
  readonly sandboxRefs: readonly string[];
  readonly decisionIdsProcessed: readonly string[];
  readonly executionDurationMs: number;
  readonly outcomes?: readonly DecisionResult[];
  readonly landedBefore?: readonly string[];
  readonly digest?: string | undefined;
}

/**
 * What one execution came to. `toolCallCount` counts calls that ran; `decisionIdsProcessed` has every decision that became
 * final, in plan order, failed and skipped ones included: `outcomes` tells them apart. `digest` is what the changeset was
 * sealed under. Immutable; throws `ValidationError` naming the field.
 */
export class RuntimeExecuteResult {
  readonly changesetId: string;
  readonly toolCallCount: number;
  readonly sandboxRefs: readonly string[];
  readonly decisionIdsProcessed: readonly string[];
  readonly executionDurationMs: number;
  readonly outcomes: readonly DecisionResult[];
  /** Ids of decisions that landed in the runs that this one went on from. */
  readonly landedBefore: readonly string[];
  readonly digest: string | undefined;

  constructor(options: RuntimeExecuteResultOptions) {
    requireArguments(owner, options);
    const { changesetId, toolCallCount, executionDurationMs, digest } = options;
    if (typeof changesetId !== "string" || changesetId === "") {
      throw invalidArgument({
        owner,
        field: "changesetId",
        value: changesetId,
        expected: "the id of a changeset",
      });
    }
    if (!Number.isSafeInteger(toolCallCount) || toolCallCount < 0) {
      throw invalidArgument({
        owner,
        field: "toolCallCount",
        value: toolCallCount,
        expected: "a whole number from 0 on",
      });
    }
    if (!Number.isFinite(executionDurationMs) || executionDurationMs < 0) {
      throw invalidArgument({
        owner,
        field: "executionDurationMs",
        value: executionDurationMs,
        expected: "a number of milliseconds from 0 on",
      });
    }
    if (digest !== undefined && !/^[0-9a-f]{64}$/.test(digest)) {
      throw invalidArgument({ owner, field: "digest", value: digest, expected: "64 lower-case hex digits" });
    }
    this.changesetId = changesetId;
    this.toolCallCount = toolCallCount;
    this.sandboxRefs = requireTexts("sandboxRefs", options.sandboxRefs);
    this.decisionIdsProcessed = requireTexts("decisionIdsProcessed", options.decisionIdsProcessed);
    this.executionDurationMs = executionDurationMs;
    this.outcomes = Object.freeze([...(options.outcomes ?? [])]);
    this.landedBefore = requireTexts("landedBefore", options.landedBefore ?? []);
    this.digest = digest;
    Object.freeze(this);
  }

  /** Ids of all decisions that have landed, in this run and those before. */
  get landed(): readonly string[] {
    const landed = this.outcomes.filter(({ outcome }) => outcome.status === "landed");
    return [...this.landedBefore, ...landed.map(({ decisionId }) => decisionId)];
  }

  /** `completed` when every decision landed, else `failed`: what the service would call the run's phase. */
  get phase(): "completed" | "failed" {
    return this.outcomes.every(({ outcome }) => outcome.status === "landed") ? "completed" : "failed";
  }
}

function requireTexts(field: string, value: readonly string[]): readonly string[] {
  if (!Array.isArray(value) || value.some((item) => typeof item !== "string" || item === "")) {
    throw invalidArgument({ owner, field, value, expected: "an array of non-empty strings" });
  }
  return Object.freeze([...value]);
}
