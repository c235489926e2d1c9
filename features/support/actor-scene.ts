import assert from "node:assert/strict";
import type { DecisionOutcome } from "#lib/run/decision-record.ts";
import { PlanExecutionContext } from "#lib/runtime/plan-execution-context.ts";
import type { RuntimeEvent, RuntimeEventCallback } from "#lib/runtime/runtime-event.ts";
import { RuntimeExecuteActor } from "#lib/runtime/runtime-execute-actor.ts";
import type { ToolRunner } from "#lib/tools/tool-runner.ts";
import type { PlanWorld } from "./plan-world.ts";

/** An actor of a scenario, and everything that it told anybody. */
export class ActorScene {
  readonly heard: RuntimeEvent[] = [];
  readonly calls: unknown[] = [];
  readonly logged: Readonly<Record<string, unknown>>[] = [];
  readonly #world: PlanWorld;
  #actor: RuntimeExecuteActor | undefined;

  constructor(world: PlanWorld) {
    this.#world = world;
  }

  make(options: { readonly toolRunner: ToolRunner; readonly onEvent?: RuntimeEventCallback }): void {
    const { planId, sandboxRoot } = this.#world;
    this.#actor = new RuntimeExecuteActor({
      ...options,
      context: new PlanExecutionContext({ planId, sandboxRoot }),
      logger: { error: (_message, details) => this.logged.push(details) },
    });
  }

  get actor(): RuntimeExecuteActor {
    assert.ok(this.#actor, "no actor was made");
    return this.#actor;
  }

  get context(): PlanExecutionContext {
    return this.actor.context;
  }

  outcome(decisionId: string): DecisionOutcome {
    const found = this.#world.result.outcomes.find((one) => one.decisionId === decisionId);
    assert.ok(found, `decision ${decisionId} was not processed`);
    return found.outcome;
  }
}
