import assert from "node:assert/strict";
import { setWorldConstructor, World } from "@cucumber/cucumber";
import type { ChangeSetStore } from "#lib/changeset/change-set-store.ts";
import { PlanledgerError } from "#lib/errors/planledger-error.ts";
import type { PlanExecutionContext } from "#lib/runtime/plan-execution-context.ts";
import type { PlanExecutor } from "#lib/runtime/plan-executor.ts";
import type { RuntimeExecuteResult } from "#lib/runtime/runtime-execute-result.ts";
import { type HttpDriver, httpDriver } from "./http-driver.ts";
import { inProcessDriver } from "./in-process-driver.ts";
import type { Files, PlanDriver } from "./plan-driver.ts";
import { type Sandbox, sandbox } from "./sandbox.ts";
import type { ServiceAddress } from "./service-address.ts";

let plans = 0;

/** What the steps of one scenario share. A refusal that no step looked at fails the scenario. */
export class PlanWorld extends World {
  readonly startedChangesets: string[] = [];
  /** The plan of the scenario: the ids of one run of the features are its own, also on a service that lives on. */
  planId = `feature-${process.pid}-${Date.now()}-${++plans}`;
  document: Readonly<Record<string, unknown>> = {};
  /** The project's files before the plan. */
  project: Files = new Map();
  otherDigest: string | undefined;
  #sandbox: Sandbox | undefined;
  #driver: PlanDriver | undefined;
  #http: HttpDriver | undefined;
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

  async makeSandbox(files: Files): Promise<void> {
    this.#sandbox = await sandbox(files);
  }

  get sandboxRoot(): string | undefined {
    return this.#sandbox?.root;
  }

  async sandboxFiles(): Promise<Files> {
    assert.ok(this.#sandbox, "there is no sandbox directory");
    return this.#sandbox.files();
  }

  planInProcess(): void {
    this.#driver = inProcessDriver();
  }

  planOverHttp(service: ServiceAddress): void {
    this.#http = httpDriver(service);
    this.#driver = this.#http;
  }

  get driver(): PlanDriver {
    assert.ok(this.#driver, "no planner was given");
    return this.#driver;
  }

  /** The planner of scenarios that are about HTTP. */
  get http(): HttpDriver {
    assert.ok(this.#http, "this scenario has no planner over HTTP");
    return this.#http;
  }

  /** Every file as the plan left it, by what its changeset says. */
  async resultFiles(): Promise<Files> {
    const files = new Map(this.project);
    const { entries } = await this.driver.report();
    const last = new Map(entries.map(({ path, after }) => [path, after]));
    for (const [path, after] of last) {
      if (after === null) {
        files.delete(path);
      } else {
        files.set(path, await this.driver.content(after.sha256));
      }
    }
    return files;
  }

  async resultFile(path: string): Promise<Uint8Array | undefined> {
    return (await this.resultFiles()).get(path);
  }

  async close(): Promise<void> {
    await this.#driver?.close();
    await this.#sandbox?.remove();
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
