import type { ChangeSetStore } from "../changeset/change-set-store.ts";
import { ValidationError } from "../errors/planledger-error.ts";
import { invalidArgument, requireArguments, requireMethods } from "./constructor-argument.ts";
import { PlanExecutionContext } from "./plan-execution-context.ts";
import type { BegunExecution, PlanLifecycle } from "./plan-lifecycle.ts";
import type { RuntimeExecuteResult } from "./runtime-execute-result.ts";
import type { StrategyDecision } from "./strategy-decision.ts";

const owner = "PlanExecutor";

/** What really runs tool calls; `RuntimeExecuteActor` is the one that comes with the package. */
export interface ToolCallingRuntime {
  readonly context: PlanExecutionContext;
  execute(request: {
    readonly decisions: readonly StrategyDecision[];
    readonly previous?: RuntimeExecuteResult;
  }): Promise<RuntimeExecuteResult>;
}

export interface PlanExecutorOptions {
  readonly lifecycle: PlanLifecycle;
  readonly context?: PlanExecutionContext | undefined;
  readonly runtime?: ToolCallingRuntime | undefined;
}

/** `toolsRun` is false on the plain path, which has no runtime: the plan is left as it was, to be executed by one that has. */
export type PlanExecuteResult =
  | {
      readonly path: "runtime";
      readonly planId: string;
      readonly attempt: number;
      readonly toolsRun: true;
      readonly result: RuntimeExecuteResult;
      readonly message: string;
    }
  | { readonly path: "plain"; readonly planId: string; readonly toolsRun: false; readonly message: string };

/**
 * Executes plans of a lifecycle service in process. With a runtime and its context every tool call is really made; without,
 * nothing runs and the result says so. A run that ends with failed decisions is a result, not a rejection, and the next
 * `runExecute` goes on from what landed; a running or completed plan rejects with `ConflictError` (R34).
 */
export class PlanExecutor {
  readonly executionContext: PlanExecutionContext | undefined;
  readonly #lifecycle: PlanLifecycle;
  readonly #runtime: ToolCallingRuntime | undefined;

  constructor(options: PlanExecutorOptions) {
    requireArguments(owner, options);
    const { lifecycle, context, runtime } = options;
    requireMethods(owner, { field: "lifecycle", value: lifecycle, methods: ["begin", "finish", "state"] });
    if (context !== undefined && !(context instanceof PlanExecutionContext)) {
      throw invalidArgument({ owner, field: "context", value: context, expected: "a PlanExecutionContext" });
    }
    if (runtime !== undefined) {
      requireMethods(owner, { field: "runtime", value: runtime, methods: ["execute"] });
      if (context === undefined || runtime.context !== context) {
        throw new ValidationError({
          field: "context",
          message: `${owner}: a runtime records into a context of its own; hand in that same object as context.`,
        });
      }
    }
    this.executionContext = context;
    this.#lifecycle = lifecycle;
    this.#runtime = runtime;
  }

  /** Whether `runExecute` makes tool calls. */
  get hasRuntime(): boolean {
    return this.#runtime !== undefined;
  }

  get changesetStore(): ChangeSetStore | undefined {
    return this.executionContext?.changesetStore;
  }

  /** Executes a plan; see the class. An unknown plan rejects with `NotFoundError`. */
  async runExecute(planId: string): Promise<PlanExecuteResult> {
    if (typeof planId !== "string" || planId === "") {
      throw invalidArgument({ owner, field: "planId", value: planId, expected: "the id of a plan" });
    }
    const context = this.executionContext;
    if (context !== undefined && context.planId !== planId) {
      throw new ValidationError({
        field: "planId",
        message: `${owner}: the context is that of plan ${context.planId}; plan ${planId} needs one of its own.`,
      });
    }
    const begun = await this.#lifecycle.begin(planId);
    return this.#runtime === undefined
      ? this.#runPlain(planId, begun)
      : this.#runTools(planId, { begun, runtime: this.#runtime });
  }

  async #runPlain(planId: string, begun: BegunExecution): Promise<PlanExecuteResult> {
    await this.#lifecycle.finish(planId, begun.attempt, { kind: "not_run" });
    const message = `No tool was run and nothing was changed: this executor has no runtime. Plan ${planId} and its ${begun.decisions.length} decisions wait for one that has.`;
    return { path: "plain", planId, toolsRun: false, message };
  }

  async #runTools(
    planId: string,
    run: { readonly begun: BegunExecution; readonly runtime: ToolCallingRuntime },
  ): Promise<PlanExecuteResult> {
    const { attempt, decisions, previous } = run.begun;
    let result: RuntimeExecuteResult;
    try {
      result = await run.runtime.execute({ decisions, ...(previous !== undefined && { previous }) });
    } catch (error) {
      await this.#finishBroken(planId, attempt, error);
      throw error;
    }
    await this.#lifecycle.finish(planId, attempt, { kind: result.phase, result });
    const message = `Plan ${planId} ${result.phase}: ${result.decisionIdsProcessed.length} decisions, ${result.toolCallCount} tool calls, changeset ${result.changesetId}.`;
    return { path: "runtime", planId, attempt, toolsRun: true, result, message };
  }

  async #finishBroken(planId: string, attempt: number, error: unknown): Promise<void> {
    try {
      await this.#lifecycle.finish(planId, attempt, { kind: "broken", error });
    } catch (second) {
      const message = `Execution ${attempt} of plan ${planId} broke, and its end could not be recorded.`;
      throw new AggregateError([error, second], message);
    }
  }
}
