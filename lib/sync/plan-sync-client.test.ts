import assert from "node:assert/strict";
import { test } from "node:test";
import { ValidationError } from "../errors/planledger-error.ts";
import { conflictPolicies } from "./conflict-policy.ts";
import { memoryLocalItems } from "./memory-local-items.ts";
import { memorySyncServer } from "./memory-sync-server.testkit.ts";
import { PlanSyncClient } from "./plan-sync-client.ts";
import { syncResultJson } from "./sync-result.ts";
import { SyncScope } from "./sync-scope.ts";
import { SyncSummary } from "./sync-summary.ts";
import { bare, testItem } from "./sync-world.testkit.ts";

const opened = () => {
  const server = memorySyncServer();
  return { server, client: new PlanSyncClient({ transport: server }) };
};

const refuses =
  (field: string, allowed: readonly string[] = []) =>
  (error: unknown) => {
    assert.ok(error instanceof ValidationError, String(error));
    assert.equal(error.field, field);
    for (const value of [field.split(".")[0] ?? "", ...allowed])
      assert.ok(error.message.includes(value), error.message);
    return true;
  };

const kinds = ["actions", "skills", "tools", "projects"];

test("S18: what the client does not know is refused with the list of what is allowed, and nothing is sent", async () => {
  const { server, client } = opened();
  // As untyped code may call.
  const make = (options: object) => Reflect.construct(PlanSyncClient, [options]);
  const call = (method: string, ...given: readonly unknown[]) => {
    const found: unknown = Reflect.get(client, method);
    assert.ok(typeof found === "function");
    return Reflect.apply(found, client, given);
  };
  const policies = [...conflictPolicies];
  assert.throws(
    () => make({ transport: server, conflictPolicy: "newest" }),
    refuses("conflictPolicy", policies),
  );
  assert.throws(() => Reflect.set(client, "conflictPolicy", "newest"), refuses("conflictPolicy", policies));
  assert.throws(
    () => Reflect.construct(SyncScope, [{ actions: true, prompts: true }]),
    refuses("scope", kinds),
  );
  assert.throws(() => SyncScope.of(["prompts"]), refuses("scope", kinds));
  assert.throws(() => new SyncScope({}), refuses("scope", kinds));
  assert.throws(() => Reflect.construct(SyncScope, [{ tools: "yes" }]), refuses("scope.tools"));
  await assert.rejects(async () => call("syncItems", "prompts", []), refuses("kind", kinds));
  await assert.rejects(async () => call("syncAll", { prompts: [] }), refuses("kind", kinds));
  await assert.rejects(async () => call("syncAll", { tools: "a" }), refuses("items.tools"));
  const sideways = { direction: "sideways" };
  await assert.rejects(
    async () => call("syncItems", "tools", [], sideways),
    refuses("direction", ["push", "pull"]),
  );
  await assert.rejects(async () => call("syncItems", "tools", [], { maxDelete: -1 }), refuses("maxDelete"));
  await assert.rejects(async () => call("syncItems", "tools", {}), refuses("items"));
  assert.throws(() => make({ transport: {} }), refuses("transport"));
  assert.throws(() => make({ transport: server, scope: ["tools"] }), refuses("scope"));
  assert.deepEqual(server.requests, { list: 0, read: 0, write: 0 });
  assert.equal(client.conflictPolicy, "local_wins");
});

test("S14: an order about a plan without an id, or an apply without a digest, is refused before anything is sent", async () => {
  const { server, client } = opened();
  const digest = "d".repeat(64);
  await assert.rejects(client.executePlan(""), refuses("planId"));
  await assert.rejects(client.applyPlan("", { digest }), refuses("planId"));
  await assert.rejects(client.getPlanStatus(""), refuses("serverPlanId"));
  await assert.rejects(client.applyPlan("plan-002", { digest: "" }), refuses("digest"));
  await assert.rejects(client.applyPlan("plan-002", { digest: digest.toUpperCase() }), refuses("digest"));
  await assert.rejects(Reflect.apply(client.applyPlan, client, ["plan-002"]), refuses("digest"));
  assert.deepEqual(server.planRequests, []);
});

test("F5: the same plan executed again is one plan, with the same answer", async () => {
  const { client } = opened();
  const plan = { decisions: [] };
  const first = await client.executePlan("plan-001", { plan });
  assert.deepEqual(await client.executePlan("plan-001", { plan }), first);
  assert.deepEqual(await client.executePlan("plan-001"), first);
  assert.equal(first.status, "submitted");
});

test("a plan that the service does not have cannot be executed by its id alone", async () => {
  await assert.rejects(opened().client.executePlan("plan-404"), { code: "not_found" });
});

test("S15: another policy counts from the next sync on", async () => {
  const { server, client } = opened();
  const items = [testItem("local/a")];
  await client.syncItems("tools", items);
  const change = (text: string) => {
    Object.assign(items[0] ?? {}, { text: `mine ${text}` });
    server.put("tools", bare(testItem("local/a", { text: `theirs ${text}` })));
  };
  change("1");
  const pending = client.syncItems("tools", items);
  client.conflictPolicy = "server_wins";
  assert.equal((await pending).updated, 1);
  change("2");
  const skipped = await client.syncItems("tools", items);
  assert.deepEqual([skipped.updated, skipped.skipped], [0, 1]);
});

test("S10: a sync of everything has the kinds of its scope, in its JSON too", async () => {
  const server = memorySyncServer();
  const client = new PlanSyncClient({ transport: server, scope: new SyncScope({ actions: true }) });
  const items = { actions: [testItem("local/a")], tools: [testItem("local/t")] };
  const result = await client.syncAll(items);
  assert.deepEqual(Object.keys(result.byKind), ["actions"]);
  const document = JSON.parse(JSON.stringify(syncResultJson(result)));
  assert.deepEqual(Object.keys(document.kinds), ["actions"]);
  const { created, updated, skipped, pulled, deleted, conflicts, errors, dryRun, requests, writes } =
    document;
  assert.deepEqual(
    { created, updated, skipped, pulled, deleted, conflicts, errors, dryRun, requests, writes },
    {
      ...{ created: 1, updated: 0, skipped: 0, pulled: 0, deleted: 0, conflicts: [], errors: [] },
      ...{ dryRun: false, requests: 2, writes: 1 },
    },
  );
  assert.deepEqual(
    server.keys.map(({ kind }) => kind),
    ["actions"],
  );
});

test("kinds that are not among the arrays given are left alone, with prune too", async () => {
  const { server, client } = opened();
  await client.syncAll({ tools: [testItem("local/t")], actions: [testItem("local/a")] });
  const result = await client.syncAll({ actions: [] }, { prune: true });
  assert.equal(result.total.deleted, 1);
  assert.equal(server.history({ kind: "tools", id: "local/t" }).at(-1)?.row.deleted, false);
});

test("items may be a port, and bases last from one client to the next when they are given", async () => {
  const { server, client } = opened();
  const arrays = { tools: [testItem("local/t")] };
  assert.equal((await client.syncItems("tools", memoryLocalItems(arrays))).created, 1);
  Object.assign(arrays.tools[0] ?? {}, { text: "mine" });
  const forgetful = new PlanSyncClient({ transport: server, conflictPolicy: "manual" });
  assert.equal((await forgetful.syncItems("tools", memoryLocalItems(arrays))).conflicts.length, 1);
  assert.equal((await client.syncItems("tools", memoryLocalItems(arrays))).updated, 1);
});

test("a pull adds to the array, replaces in it and takes out of it", async () => {
  const { server, client } = opened();
  const items = [testItem("local/a"), testItem("local/b")];
  await client.syncItems("tools", items);
  server.put("tools", bare(testItem("local/a", { text: "new" })));
  server.put("tools", bare(testItem("local/c")));
  server.delete({ kind: "tools", id: "local/b" });
  const summary = await client.syncItems("tools", items, { direction: "pull", prune: true });
  assert.deepEqual([summary.pulled, summary.deleted], [2, 1]);
  assert.deepEqual(
    items.map(({ id, text }) => [id, text]),
    [
      ["local/a", "new"],
      ["local/c", "what local/c says"],
    ],
  );
  assert.ok(items.every(({ metadata }) => typeof metadata.serverId === "string"));
});

test("an item whose metadata is frozen is an error that says so, and is not created twice", async () => {
  const { server, client } = opened();
  const items = [{ ...testItem("local/a"), metadata: Object.freeze({}) }];
  const first = await client.syncItems("tools", items);
  assert.match(first.errors[0]?.reason ?? "", /frozen/);
  await client.syncItems("tools", items);
  assert.equal(server.history({ kind: "tools", id: "local/a" }).length, 1);
});

test("S16: a summary counts every item once, and refuses counts that cannot be", () => {
  const problem = { item: "local/a", reason: "no version" };
  const summary = new SyncSummary({ created: 2, updated: 1, skipped: 1, errors: [problem] });
  assert.equal(summary.totalProcessed, 5);
  assert.equal(summary.clean, false);
  assert.equal(new SyncSummary({ pulled: 1, deleted: 2, conflicts: [problem] }).totalProcessed, 4);
  assert.throws(() => new SyncSummary({ created: -1 }), refuses("created"));
  assert.throws(() => Reflect.construct(SyncSummary, [{ errors: ["no version"] }]), refuses("errors"));
});
