import assert from "node:assert/strict";
import { type DataTable, Given, Then, When } from "@cucumber/cucumber";
import { isValid } from "ulid";
import { PlanExecutionContext } from "#lib/runtime/plan-execution-context.ts";
import type { RuntimeEventCallback } from "#lib/runtime/runtime-event.ts";
import { RuntimeExecuteActor } from "#lib/runtime/runtime-execute-actor.ts";
import { ToolRegistry } from "#lib/tools/tool-registry.ts";
import { ToolRunner } from "#lib/tools/tool-runner.ts";
import { ActorScene } from "../support/actor-scene.ts";
import { fileBytes, fileTable, shownBytes } from "../support/files.ts";
import { parsedDecisions, parsedValue } from "../support/plan-text.ts";
import type { PlanWorld } from "../support/plan-world.ts";
import { constructUntyped } from "../support/untyped.ts";
import { workspaceToolRunner } from "../support/workspace-tool-runner.ts";

const emptyRunner = () => new ToolRunner({ registry: new ToolRegistry() });

const scenes = new WeakMap<PlanWorld, ActorScene>();
function scene(world: PlanWorld): ActorScene {
  const known = scenes.get(world) ?? new ActorScene(world);
  scenes.set(world, known);
  return known;
}

Given("a sandbox directory", async function (this: PlanWorld) {
  await this.makeSandbox(new Map());
});

Given("a sandbox directory that holds", async function (this: PlanWorld, table: DataTable) {
  await this.makeSandbox(fileTable(table));
});

Given("an actor whose registry is empty", function (this: PlanWorld) {
  scene(this).make({ toolRunner: emptyRunner() });
});

Given("an actor whose registry is empty, with an event callback", function (this: PlanWorld) {
  const { heard } = scene(this);
  scene(this).make({ toolRunner: emptyRunner(), onEvent: (event) => heard.push(event) });
});

Given(
  /^an actor whose registry is empty, with a callback that (throws|rejects)$/,
  function (this: PlanWorld, fails: string) {
    const fault = new Error("the callback is broken");
    const throwing: RuntimeEventCallback = () => {
      throw fault;
    };
    const onEvent = fails === "throws" ? throwing : () => Promise.reject(fault);
    scene(this).make({ toolRunner: emptyRunner(), onEvent });
  },
);

Given("an actor with the workspace tools", function (this: PlanWorld) {
  scene(this).make({ toolRunner: workspaceToolRunner() });
});

Given("an actor with a tool {string} that remembers its calls", function (this: PlanWorld, name: string) {
  const { calls } = scene(this);
  const registry = new ToolRegistry();
  registry.register({
    name,
    description: "Remembers the inputs it was called with.",
    inputSchema: { type: "object" },
    effect: "read",
    async run(input) {
      calls.push(input);
      return { output: "counted" };
    },
  });
  scene(this).make({ toolRunner: new ToolRunner({ registry }) });
});

Given("an actor with a tool that answers a lone surrogate", function (this: PlanWorld) {
  const registry = new ToolRegistry();
  registry.register({
    name: "answer",
    description: "Answers text that no UTF-8 can hold.",
    inputSchema: { type: "object" },
    effect: "read",
    run: async () => ({ output: "before \ud800 and \0 after" }),
  });
  scene(this).make({ toolRunner: new ToolRunner({ registry }) });
});

When("it executes the decisions", async function (this: PlanWorld, text: string) {
  this.result = await scene(this).actor.execute({ decisions: parsedDecisions(text) });
});

When("somebody tries to make an actor without its {string}", async function (this: PlanWorld, field: string) {
  const complete = {
    context: new PlanExecutionContext({ planId: this.planId }),
    toolRunner: emptyRunner(),
  };
  await this.expectRefusal(() => constructUntyped(RuntimeExecuteActor, { ...complete, [field]: undefined }));
});

Then("the result's changesetId is a ULID", function (this: PlanWorld) {
  assert.ok(isValid(this.result.changesetId), this.result.changesetId);
});

Then("the callback heard, in this order", function (this: PlanWorld, table: DataTable) {
  assert.deepEqual(
    scene(this).heard.map(({ type, decisionId }) => ({ type, decision: decisionId ?? "" })),
    table.hashes(),
  );
});

Then("the result's sandboxes include that directory", function (this: PlanWorld) {
  assert.ok(this.result.sandboxRefs.includes(this.sandboxRoot ?? "no sandbox"));
});

Then("the sandbox holds exactly", async function (this: PlanWorld, table: DataTable) {
  assert.deepEqual(shownFiles(await this.sandboxFiles()), shownFiles(fileTable(table)));
});

function shownFiles(files: ReadonlyMap<string, Uint8Array>): Readonly<Record<string, string>> {
  return Object.fromEntries([...files].map(([path, bytes]) => [path, shownBytes(bytes)]));
}

Then("the entries of the changeset are", async function (this: PlanWorld, table: DataTable) {
  const { changesetId } = this.result;
  const changeset = await scene(this).context.getChangeset(changesetId);
  assert.ok(changeset);
  const side = async (state: { readonly sha256: string } | null) => {
    if (state === null) {
      return "";
    }
    const bytes = await scene(this).context.changesetContent(changesetId, state.sha256);
    assert.ok(bytes, `no content is kept under ${state.sha256}`);
    return shownBytes(bytes);
  };
  const found: Readonly<Record<string, string>>[] = [];
  for (const { decisionId, callOrdinal, kind, path, before, after } of changeset.entries) {
    const call = String(callOrdinal);
    found.push({
      decision: decisionId,
      call,
      kind,
      path,
      before: await side(before),
      after: await side(after),
    });
  }
  const byCallAndPath = (row: Readonly<Record<string, string>>) => JSON.stringify(row);
  const expected = table
    .hashes()
    .map((row) => ({ ...row, before: shownCell(row.before), after: shownCell(row.after) }));
  assert.deepEqual(found.map(byCallAndPath).sort(), expected.map(byCallAndPath).sort());
});

const shownCell = (cell: string | undefined) => (cell ? shownBytes(fileBytes(cell)) : "");

Then("the changeset is sealed under the result's digest", async function (this: PlanWorld) {
  const changeset = await scene(this).context.getChangeset(this.result.changesetId);
  assert.ok(changeset?.state === "sealed");
  assert.equal(changeset.digest, this.result.digest);
});

Then("the tool was called with", function (this: PlanWorld, text: string) {
  assert.deepEqual(scene(this).calls, parsedValue(text));
});

Then("decision {string} failed with {string}", function (this: PlanWorld, decisionId: string, code: string) {
  const outcome = scene(this).outcome(decisionId);
  assert.equal(outcome.status, "failed");
  assert.equal(outcome.status === "failed" && outcome.failure.code, code);
});

Then(
  "decision {string} was skipped because of {string}",
  function (this: PlanWorld, decisionId: string, needed: string) {
    assert.deepEqual(scene(this).outcome(decisionId), { status: "skipped", because: [needed] });
  },
);

Then("decision {string} landed", function (this: PlanWorld, decisionId: string) {
  assert.deepEqual(scene(this).outcome(decisionId), { status: "landed" });
});

Then("the fault of the callback is logged for every event", function (this: PlanWorld) {
  // started, two steps, complete
  assert.deepEqual(
    scene(this).logged.map(({ error }) => String(error)),
    Array.from({ length: 4 }, () => "Error: the callback is broken"),
  );
});
