import assert from "node:assert/strict";
import { inMemoryPlanLifecycle } from "#lib/runtime/in-memory-plan-lifecycle.ts";
import { PlanExecutionContext } from "#lib/runtime/plan-execution-context.ts";
import { type PlanExecuteResult, PlanExecutor } from "#lib/runtime/plan-executor.ts";
import type { PlanLifecycle } from "#lib/runtime/plan-lifecycle.ts";
import { RuntimeExecuteActor } from "#lib/runtime/runtime-execute-actor.ts";
import type { RuntimeExecuteResult } from "#lib/runtime/runtime-execute-result.ts";
import type { StrategyDecision } from "#lib/runtime/strategy-decision.ts";
import { builtinTools } from "#lib/tools/builtin/builtin-tools.ts";
import { ToolRegistry } from "#lib/tools/tool-registry.ts";
import { ToolRunner } from "#lib/tools/tool-runner.ts";

const planId = "executed-plan";

export const write = (id: string, path: string): StrategyDecision => ({
  id,
  toolCalls: [{ tool: "write_file", input: { path, content: `${path}\n` } }],
});

/** A decision whose tool fails as long as the scenario's service is down. */
export const flaky = (id: string): StrategyDecision => ({ id, toolCalls: [{ tool: "ask", input: {} }] });

/** An executor of a scenario, the plan it executes, and what came of it. */
export class ExecutorScene {
  readonly planId = planId;
  decisions: readonly StrategyDecision[] = [];
  readonly executions: PlanExecuteResult[] = [];
  #asked = 0;
  #lifecycle: PlanLifecycle | undefined;
  #executor: PlanExecutor | undefined;
  #context: PlanExecutionContext | undefined;

  /** The lifecycle service with the scenario's plan; made on first use, so that the plan stands. */
  get lifecycle(): PlanLifecycle {
    this.#lifecycle ??= inMemoryPlanLifecycle({ plans: [{ planId, decisions: this.decisions }] });
    return this.#lifecycle;
  }

  withoutContext(): void {
    this.#executor = new PlanExecutor({ lifecycle: this.lifecycle });
  }

  withContext(): void {
    this.#context = new PlanExecutionContext({ planId });
    this.#executor = new PlanExecutor({ lifecycle: this.lifecycle, context: this.#context });
  }

  withRuntime(): void {
    this.#context = new PlanExecutionContext({ planId });
    const runtime = this.#actor(this.#context);
    this.#executor = new PlanExecutor({ lifecycle: this.lifecycle, context: this.#context, runtime });
  }

  get executor(): PlanExecutor {
    assert.ok(this.#executor, "no executor was made");
    return this.#executor;
  }

  get context(): PlanExecutionContext {
    assert.ok(this.#context, "the executor has no context");
    return this.#context;
  }

  get lastExecution(): PlanExecuteResult {
    const last = this.executions.at(-1);
    assert.ok(last, "the plan was not executed");
    return last;
  }

  /** The result of the last execution, which must have gone through the runtime. */
  get lastResult(): RuntimeExecuteResult {
    assert.ok(this.lastExecution.path === "runtime");
    return this.lastExecution.result;
  }

  /** The digest of the scenario's plan when the tool that failed works from the start. */
  async undisturbedDigest(): Promise<string | undefined> {
    const actor = this.#actor(new PlanExecutionContext({ planId }));
    assert.ok(this.#asked > 0, "the tool was never asked");
    return (await actor.execute({ decisions: this.decisions })).digest;
  }

  /** Its tool `ask` fails the first time that anybody asks. */
  #actor(context: PlanExecutionContext): RuntimeExecuteActor {
    const registry = new ToolRegistry(builtinTools());
    registry.register({
      name: "ask",
      description: "Asks a service that is down at first.",
      inputSchema: { type: "object" },
      effect: "read",
      run: async () => {
        this.#asked += 1;
        if (this.#asked === 1) {
          throw new Error("the service is down");
        }
        return { output: "answered" };
      },
    });
    return new RuntimeExecuteActor({ context, toolRunner: new ToolRunner({ registry }) });
  }
}
