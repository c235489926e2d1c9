import assert from "node:assert/strict";
import { After, defineParameterType, Given, Then, When } from "@cucumber/cucumber";
import { PlanledgerError } from "#lib/errors/planledger-error.ts";
import { type ResourceKind, resourceKinds } from "#lib/resource/resource-store.ts";
import { checkedConflictPolicy } from "#lib/sync/conflict-policy.ts";
import { SyncScope } from "#lib/sync/sync-scope.ts";
import type { PlanWorld } from "../support/plan-world.ts";
import { serviceAddress } from "../support/service.ts";
import { syncHttpDriver } from "../support/sync-http-driver.ts";
import { SyncScene } from "../support/sync-scene.ts";

const scenes = new WeakMap<PlanWorld, SyncScene>();

/** The scenario's scene; on a stub until a step says how the service is reached. */
export function syncScene(world: PlanWorld): SyncScene {
  const known = scenes.get(world) ?? new SyncScene();
  scenes.set(world, known);
  return known;
}

After({ timeout: 60_000 }, async function (this: PlanWorld) {
  await scenes.get(this)?.driver.close();
});

/** `actions`, or `action` of one. */
defineParameterType({
  name: "kind",
  regexp: /actions?|skills?|tools?|projects?/,
  transformer: (word: string): ResourceKind => {
    const found = resourceKinds.find((kind) => kind === word || kind === `${word}s`);
    assert.ok(found);
    return found;
  },
  useForSnippets: false,
});

interface Content {
  readonly text: string;
  readonly version: string;
}

/** `"theirs" under version "2.0"`. */
defineParameterType({
  name: "content",
  regexp: /"[^"]*" under version "[^"]*"/,
  transformer: (words: string): Content => {
    const [, text = "", , version = ""] = words.split('"');
    return { text, version };
  },
  useForSnippets: false,
});

Given("a service reached through a stub", function (this: PlanWorld) {
  scenes.set(this, new SyncScene());
});

Given("a service reached over HTTP", function (this: PlanWorld) {
  scenes.set(this, new SyncScene(syncHttpDriver(serviceAddress())));
});

Given("the sync client's conflict policy is {string}", function (this: PlanWorld, policy: string) {
  syncScene(this).policy = checkedConflictPolicy(policy);
});

Given("the sync client's scope is {string}", function (this: PlanWorld, kinds: string) {
  syncScene(this).scope = SyncScope.of(kinds.split(/, */));
});

Given(
  "the new {kind} {names} here",
  async function (this: PlanWorld, kind: ResourceKind, ids: readonly string[]) {
    for (const id of ids) await syncScene(this).addHere(kind, id);
  },
);

Given("a local tool named {string} that has no id", async function (this: PlanWorld, name: string) {
  await syncScene(this).driver.copy.add("tools", { name, version: "1.0", metadata: {} });
});

Given(
  "the {kind} {names} that both sides have under version {string}",
  async function (this: PlanWorld, kind: ResourceKind, ids: readonly string[], version: string) {
    await syncScene(this).agreeOn(kind, ids, version);
  },
);

Given(
  "each of the local {kind} is changed under version {string}",
  async function (this: PlanWorld, kind: ResourceKind, version: string) {
    const { entries } = await syncScene(this).driver.copy.local.read([kind]);
    for (const { id } of entries) await syncScene(this).changeHere({ kind, id }, { version });
  },
);

Given(
  "the local {kind} {string} is changed under version {string}",
  async function (this: PlanWorld, kind: ResourceKind, id: string, version: string) {
    await syncScene(this).changeHere({ kind, id }, { version });
  },
);

Given(
  "the local {kind} {string} is changed to {content}",
  async function (this: PlanWorld, kind: ResourceKind, id: string, content: Content) {
    await syncScene(this).changeHere({ kind, id }, content);
  },
);

Given(
  "the service's {kind} {string} is changed to {content}",
  async function (this: PlanWorld, kind: ResourceKind, id: string, content: Content) {
    await syncScene(this).changeThere({ kind, id }, content);
  },
);

Given(
  "the service's {kind} {string} is deleted",
  async function (this: PlanWorld, kind: ResourceKind, id: string) {
    await syncScene(this).removeThere({ kind, id });
  },
);

Given(
  "the local {kind} {names} are deleted",
  async function (this: PlanWorld, kind: ResourceKind, ids: string[]) {
    for (const id of ids) await syncScene(this).driver.copy.remove({ kind, id });
  },
);

Given("the local id of that tool is written in decomposed form", async function (this: PlanWorld) {
  const { copy } = syncScene(this).driver;
  const [entry] = (await copy.local.read(["tools"])).entries;
  assert.ok(entry && entry.id !== entry.id.normalize("NFD"));
  await copy.edit({ kind: "tools", id: entry.id }, { id: entry.id.normalize("NFD") });
});

Given("the connection breaks when the service has taken the items", function (this: PlanWorld) {
  syncScene(this).breaks = "after";
});
Given("the connection breaks when the service lacks the items", function (this: PlanWorld) {
  syncScene(this).breaks = "before";
});

When("the {kind} are synced", async function (this: PlanWorld, kind: ResourceKind) {
  await syncScene(this).sync(kind);
});

When("the {kind} are synced as a dry run", async function (this: PlanWorld, kind: ResourceKind) {
  await syncScene(this).sync(kind, { dryRun: true });
});

When("the {kind} are synced in both directions", async function (this: PlanWorld, kind: ResourceKind) {
  await syncScene(this).sync(kind, { direction: "both" });
});

When("the {kind} are synced by force", async function (this: PlanWorld, kind: ResourceKind) {
  await syncScene(this).sync(kind, { force: true });
});

When("the {kind} are synced with prune", async function (this: PlanWorld, kind: ResourceKind) {
  await syncScene(this).sync(kind, { prune: true });
});

When("somebody tries to sync the {kind}", async function (this: PlanWorld, kind: ResourceKind) {
  await this.expectRefusal(() => syncScene(this).sync(kind));
});

When(
  "somebody tries to sync the {kind} with prune, deleting at most {int}",
  async function (this: PlanWorld, kind: ResourceKind, maxDelete: number) {
    await this.expectRefusal(() => syncScene(this).sync(kind, { prune: true, maxDelete }));
  },
);

When("everything is synced", async function (this: PlanWorld) {
  await syncScene(this).syncAll();
});

When("the sync client's conflict policy is changed to {string}", function (this: PlanWorld, policy: string) {
  syncScene(this).client.conflictPolicy = checkedConflictPolicy(policy);
});

Then("the sync client's conflict policy reads {string}", function (this: PlanWorld, policy: string) {
  assert.equal(syncScene(this).client.conflictPolicy, policy);
});

Then(
  "a refusal with the code {string} says {string}",
  function (this: PlanWorld, code: string, words: string) {
    const refusal = this.refusal();
    assert.ok(refusal instanceof PlanledgerError);
    assert.equal(refusal.code, code);
    assert.ok(refusal.message.includes(words), refusal.message);
  },
);
