import assert from "node:assert/strict";
import { setWorldConstructor, World } from "@cucumber/cucumber";
import type { ChangeSetStore } from "#lib/changeset/change-set-store.ts";
import { PlanledgerError } from "#lib/errors/planledger-error.ts";
import type { PlanExecutionContext } from "#lib/runtime/plan-execution-context.ts";
import type { PlanExecutor } from "#lib/runtime/plan-executor.ts";
import type { RuntimeExecuteResult } from "#lib/runtime/runtime-execute-result.ts";

/** What the steps of one scenario share. A refusal that no step looked at fails the scenario. */
export class PlanWorld extends World {
  readonly startedChangesets: string[] = [];
  #callersStore: ChangeSetStore | undefined;
  #context: PlanExecutionContext | undefined;
  #result: RuntimeExecuteResult | undefined;
  #executor: PlanExecutor | undefined;
  #refusal: PlanledgerError | undefined;
  #refusalWasSeen = true;

  /** Runs what a step says somebody tries to do; it must be refused. */
  async expectRefusal(attempt: () => unknown): Promise<void> {
    let outcome: unknown;
    try {
      outcome = await attempt();
    } catch (error) {
      assert.ok(error instanceof PlanledgerError, `not one of Planledger's named errors: ${error}`);
      this.#refusal = error;
      this.#refusalWasSeen = false;
      return;
    }
    assert.fail(`this should have been refused, and came to ${JSON.stringify(outcome)}`);
  }

  /** The refusal that the scenario is about. */
  refusal(): PlanledgerError {
    assert.ok(this.#refusal, "nothing was refused");
    this.#refusalWasSeen = true;
    return this.#refusal;
  }

  assertNothingUnseen(): void {
    assert.ok(this.#refusalWasSeen, `no step looked at the refusal "${this.#refusal?.message}"`);
  }

  get callersStore(): ChangeSetStore {
    assert.ok(this.#callersStore, "no store was handed in");
    return this.#callersStore;
  }

  set callersStore(store: ChangeSetStore) {
    this.#callersStore = store;
  }

  get context(): PlanExecutionContext {
    assert.ok(this.#context, "no context was made");
    return this.#context;
  }

  set context(context: PlanExecutionContext) {
    this.#context = context;
  }

  get result(): RuntimeExecuteResult {
    assert.ok(this.#result, "there is no result");
    return this.#result;
  }

  set result(result: RuntimeExecuteResult) {
    this.#result = result;
  }

  get executor(): PlanExecutor {
    assert.ok(this.#executor, "no executor was made");
    return this.#executor;
  }

  set executor(executor: PlanExecutor) {
    this.#executor = executor;
  }

  /** The id of the nth changeset that the scenario started, from 0. */
  changesetId(index = this.startedChangesets.length - 1): string {
    const changesetId = this.startedChangesets[index];
    assert.ok(changesetId, "no changeset was started");
    return changesetId;
  }
}

setWorldConstructor(PlanWorld);
