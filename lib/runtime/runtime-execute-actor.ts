import { ConflictError, PlanError } from "../errors/planledger-error.ts";
import { ToolRunner } from "../tools/tool-runner.ts";
import type { Workspace } from "../workspace/workspace.ts";
import { invalidArgument, requireArguments, requireMethods } from "./constructor-argument.ts";
import { contextResources } from "./context-resources.ts";
import { decisionsInOrder } from "./decisions-in-order.ts";
import type { DecisionResource } from "./execute-decision.ts";
import { guardedCallback } from "./guarded-callback.ts";
import { inProcessExternalCalls } from "./in-process-external-calls.ts";
import { inProcessRun } from "./in-process-run.ts";
import { PlanExecutionContext } from "./plan-execution-context.ts";
import type { RuntimeEventCallback } from "./runtime-event.ts";
import type { RuntimeExecuteResult } from "./runtime-execute-result.ts";
import { consoleLogger, type RuntimeLogger } from "./runtime-logger.ts";
import type { StrategyDecision } from "./strategy-decision.ts";

const owner = "RuntimeExecuteActor";

export interface RuntimeExecuteActorOptions {
  readonly context: PlanExecutionContext;
  readonly toolRunner: ToolRunner;
  readonly onEvent?: RuntimeEventCallback | undefined;
  readonly logger?: RuntimeLogger | undefined;
  /** Workspaces of the context's resources, by resource name; see `contextResources` for those left out. */
  readonly workspaces?: Readonly<Record<string, Workspace>> | undefined;
}

export interface ExecuteRequest {
  readonly decisions: readonly StrategyDecision[];
  /** The failed run to go on from: what landed in it is not run again, and its digest is continued. */
  readonly previous?: RuntimeExecuteResult | undefined;
}

/**
 * Runs strategy decisions in plan order, one after another, and really dispatches their tool calls through the tool runner:
 * on the directory at the context's `sandboxRoot`, or in memory. Every change goes into a changeset of the context, sealed
 * under the digest that the service would give for the same plan, base and decisions. Failed decisions are part of the
 * result; a cycle or another fault of the decisions is a `ValidationError` before anything runs. A fault of a store or
 * workspace rejects, with the workspaces put back to where the run began.
 */
export class RuntimeExecuteActor {
  readonly context: PlanExecutionContext;
  readonly #options: RuntimeExecuteActorOptions;
  readonly #external: ReturnType<typeof inProcessExternalCalls>;
  #resources: ReadonlyMap<string, DecisionResource> | undefined;
  #isRunning = false;

  constructor(options: RuntimeExecuteActorOptions) {
    requireArguments(owner, options);
    const { context, toolRunner, onEvent, logger } = options;
    if (!(context instanceof PlanExecutionContext)) {
      throw invalidArgument({ owner, field: "context", value: context, expected: "a PlanExecutionContext" });
    }
    if (!(toolRunner instanceof ToolRunner)) {
      throw invalidArgument({ owner, field: "toolRunner", value: toolRunner, expected: "a ToolRunner" });
    }
    if (onEvent !== undefined && typeof onEvent !== "function") {
      throw invalidArgument({ owner, field: "onEvent", value: onEvent, expected: "a function, or left out" });
    }
    if (logger !== undefined) {
      requireMethods(owner, { field: "logger", value: logger, methods: ["error"] });
    }
    this.context = context;
    this.#options = { ...options };
    this.#external = inProcessExternalCalls(context);
  }

  /** Executes decisions; see the class. One execution at a time: another rejects with `ConflictError` (`plan_running`). */
  async execute(request: ExecuteRequest): Promise<RuntimeExecuteResult> {
    requireArguments(`${owner}.execute`, request);
    const { context } = this;
    const decisions = decisionsInOrder(context, request.decisions);
    if (this.#isRunning) {
      throw new ConflictError({
        code: "plan_running",
        message: `This actor is executing plan ${context.planId}; wait until it has ended.`,
        details: { planId: context.planId },
      });
    }
    const resources = this.#workspaces(request.previous);
    const { toolRunner, onEvent, logger = consoleLogger } = this.#options;
    const run = inProcessRun({
      context,
      decisions,
      previous: request.previous,
      resources,
      toolRunner,
      external: this.#external,
      notify: guardedCallback(onEvent, logger),
    });
    this.#isRunning = true;
    try {
      return await run();
    } finally {
      this.#isRunning = false;
    }
  }

  /** Opened once: what lies in memory must still be there when a failed run is gone on from. */
  #workspaces(previous: RuntimeExecuteResult | undefined): ReadonlyMap<string, DecisionResource> {
    const isFirst = this.#resources === undefined;
    const { workspaces } = this.#options;
    if (
      previous !== undefined &&
      isFirst &&
      this.context.sandboxRoot === undefined &&
      workspaces === undefined
    ) {
      throw new PlanError({
        code: "phase_conflict",
        message: `Plan ${this.context.planId} cannot go on from changeset ${previous.changesetId} with another actor: what it wrote lay in the memory of the one that ran it. Use that actor, or give the context a sandboxRoot.`,
        details: { planId: this.context.planId, changesetId: previous.changesetId },
      });
    }
    this.#resources ??= contextResources(this.context, workspaces ?? {});
    return this.#resources;
  }
}
