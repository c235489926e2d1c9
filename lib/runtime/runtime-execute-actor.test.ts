import assert from "node:assert/strict";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import type { DecisionChanges } from "../changeset/change-set-store.ts";
import { initialDigest, nextDigest } from "../changeset/digest.ts";
import { InMemoryChangeSetStore } from "../changeset/in-memory-change-set-store.ts";
import { InfrastructureError, ValidationError } from "../errors/planledger-error.ts";
import { builtinTools } from "../tools/builtin/builtin-tools.ts";
import type { Tool } from "../tools/tool.ts";
import { ToolRegistry } from "../tools/tool-registry.ts";
import { ToolRunner } from "../tools/tool-runner.ts";
import { emptyTree } from "../tree/empty-tree.ts";
import { PlanExecutionContext, type PlanExecutionContextOptions } from "./plan-execution-context.ts";
import { RuntimeExecuteActor } from "./runtime-execute-actor.ts";
import type { StrategyDecision } from "./strategy-decision.ts";

function actorOf(
  options: Partial<PlanExecutionContextOptions> = {},
  tools: readonly Tool[] = [],
): RuntimeExecuteActor {
  const context = new PlanExecutionContext({ planId: "p", ...options });
  const registry = new ToolRegistry([...builtinTools(), ...tools]);
  return new RuntimeExecuteActor({ context, toolRunner: new ToolRunner({ registry }) });
}

const write = (id: string, path: string, dependsOn: readonly string[] = []): StrategyDecision => ({
  id,
  dependsOn,
  toolCalls: [{ tool: "write_file", input: { path, content: `${path}\n` } }],
});

const external = (name: string, run: Tool["run"]): Tool => ({
  name,
  description: "Reaches outside.",
  inputSchema: { type: "object" },
  effect: "external",
  run,
});

test("the digest is the chain over the base trees and what landed, in plan order (R25)", async () => {
  const actor = actorOf();
  const result = await actor.execute({
    decisions: [
      write("late", "late.txt", ["early"]),
      { id: "bad", toolCalls: [{ tool: "delete_file", input: { path: "nowhere" } }] },
      write("early", "early.txt"),
    ],
  });
  assert.deepEqual(result.decisionIdsProcessed, ["bad", "early", "late"]);
  const changeset = await actor.context.getChangeset(result.changesetId);
  let digest = initialDigest("p", { workspace: emptyTree.sha256 });
  for (const decisionId of ["early", "late"]) {
    const entries = changeset?.entries.filter((entry) => entry.decisionId === decisionId) ?? [];
    assert.equal(entries.length, 1);
    digest = nextDigest(digest, { decisionId, entries });
  }
  assert.equal(result.digest, digest);
});

test("a second execution at the same time is refused, and the first is not disturbed (R34)", async () => {
  const actor = actorOf();
  const first = actor.execute({ decisions: [write("d1", "a.txt")] });
  await assert.rejects(actor.execute({ decisions: [write("d1", "b.txt")] }), { code: "plan_running" });
  assert.equal((await first).phase, "completed");
});

test("a store that breaks in the middle rejects, and leaves neither a seal nor a file: the next execution is a first one", async () => {
  class BreakingStore extends InMemoryChangeSetStore {
    readonly #broken = [false, true];

    override async append(changesetId: string, changes: DecisionChanges): Promise<void> {
      if (this.#broken.shift()) {
        throw new InfrastructureError({ message: "the store is down" });
      }
      await super.append(changesetId, changes);
    }
  }
  const actor = actorOf({ changesetStore: new BreakingStore() });
  const decisions = [write("d1", "a.txt"), write("d2", "b.txt", ["d1"])];
  await assert.rejects(actor.execute({ decisions }), { code: "unavailable" });
  assert.deepEqual(actor.context.activeChangesetIds, []);
  const result = await actor.execute({ decisions });
  assert.equal(result.phase, "completed");
  const changeset = await actor.context.getChangeset(result.changesetId);
  assert.deepEqual(
    changeset?.entries.map(({ kind, path }) => `${kind} ${path}`),
    ["create a.txt", "create b.txt"],
  );
  assert.equal(result.digest, (await actorOf().execute({ decisions })).digest);
});

test("going on from a failed run does not repeat what landed, over several runs (R26, F1)", async () => {
  let answers = 0;
  const flaky = external("ask", async () => {
    answers += 1;
    if (answers < 3) {
      throw new Error("down");
    }
    return { output: "up" };
  });
  const actor = actorOf({}, [flaky]);
  const ask: StrategyDecision = { id: "ask", dependsOn: ["d1"], toolCalls: [{ tool: "ask", input: {} }] };
  const decisions = [write("d1", "a.txt"), ask, write("d2", "b.txt", ["ask"])];
  const first = await actor.execute({ decisions });
  const second = await actor.execute({ decisions, previous: first });
  const third = await actor.execute({ decisions, previous: second });
  assert.deepEqual(
    [first, second, third].map(({ phase }) => phase),
    ["failed", "failed", "completed"],
  );
  assert.deepEqual(third.landed, ["d1", "ask", "d2"]);
  assert.deepEqual(third.decisionIdsProcessed, ["ask", "d2"]);
  assert.equal(first.digest, second.digest);
  assert.equal(
    third.digest,
    (await actorOf({}, [external("ask", async () => ({ output: "up" }))]).execute({ decisions })).digest,
  );
});

test("another actor cannot go on from what lay in the memory of the first", async () => {
  const bad: StrategyDecision = {
    id: "bad",
    toolCalls: [{ tool: "delete_file", input: { path: "nowhere" } }],
  };
  const previous = await actorOf().execute({ decisions: [write("d1", "a.txt"), bad] });
  await assert.rejects(actorOf().execute({ decisions: [write("d1", "a.txt"), bad], previous }), {
    code: "phase_conflict",
  });
});

test("an external call that succeeded is not made again when its decision runs anew", async () => {
  let sent = 0;
  let broken = true;
  const tools = [
    external("send", async () => {
      sent += 1;
      return { output: `sent ${sent}` };
    }),
    external("ask", async () => {
      if (broken) {
        throw new Error("down");
      }
      return { output: "up" };
    }),
  ];
  const decision: StrategyDecision = {
    id: "d1",
    toolCalls: [
      { tool: "send", input: { to: "x" } },
      { tool: "ask", input: {} },
    ],
  };
  const actor = actorOf({}, tools);
  const previous = await actor.execute({ decisions: [decision] });
  broken = false;
  const result = await actor.execute({ decisions: [decision], previous });
  assert.equal(result.phase, "completed");
  assert.equal(sent, 1);
});

test("under review a call that reaches outside is not made without an approval, which nobody in process can give", async () => {
  let sent = 0;
  const send = external("send", async () => {
    sent += 1;
    return { output: "sent" };
  });
  const actor = actorOf({ automationProfile: "review" }, [send]);
  const decisions = [{ id: "d1", toolCalls: [{ tool: "send", input: {} }] }];
  const { outcomes } = await actor.execute({ decisions });
  const [first] = outcomes;
  assert.ok(first?.outcome.status === "failed");
  assert.equal(first.outcome.failure.code, "not_approved");
  assert.equal(sent, 0);
});

test("decisions are held to the rules of a plan document before anything runs (F9)", async () => {
  const actor = actorOf();
  const cases: readonly [string, readonly StrategyDecision[]][] = [
    ["dependency_cycle", [write("a", "a", ["b"]), write("b", "b", ["a"])]],
    ["duplicate_decision", [write("a", "a"), write("a", "b")]],
    ["unknown_dependency", [write("a", "a", ["nobody"])]],
    ["validation_failed", [{ id: "" }]],
  ];
  for (const [code, decisions] of cases) {
    await assert.rejects(
      actor.execute({ decisions }),
      (error) => error instanceof ValidationError && error.code === code,
      code,
    );
  }
  assert.deepEqual((await actor.context.summarize()).changesetIds, []);
});

test("a resource that nothing in process can load is asked for by name", async () => {
  const tree = "a".repeat(64);
  const actor = actorOf({ projectResources: { app: { access: "write" }, docs: { tree, access: "read" } } });
  await assert.rejects(
    actor.execute({ decisions: [] }),
    (error) => error instanceof ValidationError && error.field === "workspaces.docs",
  );
});

test("a sandboxRoot that is no directory, or not there, is named before anything runs", async () => {
  const file = fileURLToPath(import.meta.url);
  for (const sandboxRoot of [file, `${file}-that-is-not-there`]) {
    const actor = actorOf({ sandboxRoot });
    await assert.rejects(
      actor.execute({ decisions: [{ id: "d1" }] }),
      (error) => error instanceof ValidationError && error.field === "sandboxRoot",
    );
    assert.deepEqual(actor.context.activeChangesetIds, []);
  }
});

test("what untyped code hands to execute is refused by name, never by a TypeError", async () => {
  for (const request of [undefined, null, 3, {}, { decisions: 5 }, { decisions: [null] }]) {
    const actor = actorOf();
    await assert.rejects(Reflect.apply(actor.execute, actor, [request]), ValidationError);
  }
});
