import assert from "node:assert/strict";
import { type DataTable, Given, Then, When } from "@cucumber/cucumber";
import {
  applyOutcome,
  applyScene,
  derivedChangeset,
  outcomeOf,
  planOnProject,
  revisionsOf,
  sealedDigest,
} from "../support/apply-scene.ts";
import { collected } from "../support/collected.ts";
import { fileTable, shownBytes } from "../support/files.ts";
import type { PlanWorld } from "../support/plan-world.ts";
import { gitTreeId, projectFiles, putProject } from "../support/project-tree.ts";

Given("a project of the service that holds", putFiles);
When("somebody writes the project anew", putFiles);
async function putFiles(this: PlanWorld, table: DataTable): Promise<void> {
  this.project = fileTable(table);
  await putProject(this.http.client, applyScene(this).project, { files: this.project });
}

Given("a project of the service that is empty", async function (this: PlanWorld) {
  await putProject(this.http.client, applyScene(this).project, { files: new Map() });
});

Given(
  "a project of the service that allows nothing less strict than {string}",
  async function (this: PlanWorld, leastStrictProfile: string) {
    const settings = { leastStrictProfile };
    await putProject(this.http.client, applyScene(this).project, { files: new Map(), settings });
  },
);

When("the plan is executed on it", executeOnProject);
Given("the plan was executed on it", executeOnProject);
async function executeOnProject(this: PlanWorld, text: string): Promise<void> {
  this.document = planOnProject(this, text);
  await this.http.execute({ planId: this.planId, document: this.document });
}

When("somebody tries to execute the plan on it", async function (this: PlanWorld, text: string) {
  const document = planOnProject(this, text);
  await this.expectRefusal(() => this.http.execute({ planId: this.planId, document }));
});

When("another plan is executed on it and applied", async function (this: PlanWorld, text: string) {
  const { client } = this.http;
  const planId = `${this.planId}-other`;
  await client.executePlan({ planId, plan: planOnProject(this, text) });
  for await (const _ of client.eventPages({ planId, follow: true })) {
    // Followed to its end.
  }
  const { digest } = await client.planStatus({ planId });
  assert.ok(digest, "the other plan has not ended");
  await client.apply({ planId, digest });
  for await (const _ of client.eventPages({ planId, follow: true })) {
    // Followed until it is applied.
  }
  const giveUp = AbortSignal.timeout(60_000);
  while ((await client.planStatus({ planId, signal: giveUp })).applying !== undefined);
  assert.equal((await client.planStatus({ planId })).phase, "applied");
});

When("its digest is applied", async function (this: PlanWorld) {
  await this.http.client.apply({ planId: this.planId, digest: await sealedDigest(this) });
  await applyOutcome(this);
});

When("its digest is applied although it failed", async function (this: PlanWorld) {
  const digest = await sealedDigest(this);
  await this.http.client.apply({ planId: this.planId, digest, allowFailed: true });
  await applyOutcome(this);
});

When("somebody tries to apply its digest", async function (this: PlanWorld) {
  const digest = await sealedDigest(this);
  await this.expectRefusal(() => this.http.client.apply({ planId: this.planId, digest }));
});

When("somebody tries to apply another digest", async function (this: PlanWorld) {
  await this.expectRefusal(() => this.http.client.apply({ planId: this.planId, digest: "0".repeat(64) }));
});

When("its digest is applied {int} times at the same time", async function (this: PlanWorld, times: number) {
  const digest = await sealedDigest(this);
  const attempts = Array.from({ length: times }, () =>
    outcomeOf(this.http.client.apply({ planId: this.planId, digest })),
  );
  applyScene(this).outcomes = await Promise.all(attempts);
  await applyOutcome(this);
});

Then("one of them was accepted, the others were told why not", function (this: PlanWorld) {
  const { outcomes } = applyScene(this);
  const refused = outcomes.filter((outcome) => outcome !== "accepted");
  assert.equal(refused.length, outcomes.length - 1, outcomes.join(", "));
  for (const code of refused) assert.match(code, /^(apply_in_progress|already_applied)$/);
});

When("a {word} is made of its digest", async function (this: PlanWorld, kind: string) {
  const order = { planId: this.planId, kind: derivedKind(kind), of: await sealedDigest(this) };
  applyScene(this).derived = await this.http.client.derive(order);
});

When("somebody tries to make a {word} of its digest", async function (this: PlanWorld, kind: string) {
  const order = { planId: this.planId, kind: derivedKind(kind), of: await sealedDigest(this) };
  await this.expectRefusal(() => this.http.client.derive(order));
});

function derivedKind(word: string): "merge" | "rollback" {
  assert.ok(word === "merge" || word === "rollback", word);
  return word;
}

When("a part of {names} is made of its digest", async function (this: PlanWorld, only: readonly string[]) {
  const order = { planId: this.planId, kind: "partial" as const, of: await sealedDigest(this), only };
  applyScene(this).derived = await this.http.client.derive(order);
});

When("the derived digest is applied", async function (this: PlanWorld) {
  const { digest, kind } = derivedChangeset(this);
  const order = { planId: this.planId, digest };
  await (kind === "rollback" ? this.http.client.rollback(order) : this.http.client.apply(order));
  await applyOutcome(this);
});

When("somebody tries to apply the derived digest", async function (this: PlanWorld) {
  const { digest } = derivedChangeset(this);
  await this.expectRefusal(() => this.http.client.apply({ planId: this.planId, digest }));
});

Then("the part takes along", function (this: PlanWorld, table: DataTable) {
  const { added = [] } = derivedChangeset(this);
  const found = added.map(({ decisionId, neededBy, because }) => ({
    decision: decisionId,
    "needed by": neededBy,
    because: because.kind === "path" ? because.path : because.kind,
  }));
  assert.deepEqual(found, table.hashes());
});

Then("the derived diff shows", async function (this: PlanWorld, lines: string) {
  const { digest } = derivedChangeset(this);
  const pages = await collected(this.http.client.derivedDiff({ planId: this.planId, digest }));
  const diff = Buffer.concat(pages).toString();
  assert.ok(diff.includes(lines), diff);
});

Then("these paths are in the way", function (this: PlanWorld, table: DataTable) {
  const { conflicts } = this.refusal().details;
  assert.ok(Array.isArray(conflicts), "the refusal lists no conflicts");
  const found = conflicts.map(({ path, expected, found: now, reason }) => ({
    path,
    expected: expected === null ? "nothing" : "a file",
    found: now === null ? "nothing" : "sha256" in now ? "a file" : now.kind,
    reason,
  }));
  assert.deepEqual(found, table.hashes());
});

Then("the project of the service now holds", async function (this: PlanWorld, table: DataTable) {
  assertSameFiles(await projectFiles(this.http.client, applyScene(this).project), fileTable(table));
});

Then("the project holds what the plan made", async function (this: PlanWorld) {
  assertSameFiles(await projectFiles(this.http.client, applyScene(this).project), await this.resultFiles());
});

Then("the project is as it was before", async function (this: PlanWorld) {
  assertSameFiles(await projectFiles(this.http.client, applyScene(this).project), this.project);
});

function assertSameFiles(
  found: ReadonlyMap<string, Uint8Array>,
  expected: ReadonlyMap<string, Uint8Array>,
): void {
  const shown = (files: ReadonlyMap<string, Uint8Array>) =>
    [...files].map(([path, bytes]) => `${path}: ${shownBytes(bytes)}`).sort();
  assert.deepEqual(shown(found), shown(expected));
}

Then("git says the same of its tree", async function (this: PlanWorld) {
  const { client } = this.http;
  const { project } = applyScene(this);
  const { gitTreeId: promised } = await client.projects.get(project);
  assert.equal(promised, await gitTreeId(await projectFiles(client, project)));
});

Then(
  "the tree of revision {int} is that of revision {int}",
  async function (this: PlanWorld, now: number, then: number) {
    const revisions = await revisionsOf(this);
    const treeOf = (revision: number) => revisions.find((one) => one.revision === revision)?.gitTreeId;
    assert.ok(treeOf(now) !== undefined);
    assert.equal(treeOf(now), treeOf(then));
  },
);

Then("the project has {int} revision(s)", async function (this: PlanWorld, count: number) {
  assert.equal((await revisionsOf(this)).length, count);
});

Then("its newest revision names the plan and its digest", async function (this: PlanWorld) {
  const [newest] = await revisionsOf(this);
  assert.deepEqual([newest?.planId, newest?.changesetDigest], [this.planId, await sealedDigest(this)]);
});

Then("the phase is {string}", async function (this: PlanWorld, phase: string) {
  assert.equal((await this.http.status()).phase, phase);
});

Then("the last apply is told as {string}", async function (this: PlanWorld, status: string) {
  assert.equal((await applyOutcome(this)).status, status);
});

Then("its changeset is still sealed under the same digest, with its lines", async function (this: PlanWorld) {
  const digest = await sealedDigest(this);
  const pages = await collected(this.http.client.changeset({ planId: this.planId }));
  assert.ok(pages.some(({ entries }) => entries.length > 0));
  for (const page of pages) assert.deepEqual([page.state, page.digest], ["sealed", digest]);
  assert.match(Buffer.from(await this.driver.diff()).toString(), /^@@ /m);
});

Then(
  "every change of {string} is traced to {string}",
  async function (this: PlanWorld, path: string, why: string) {
    const traces = await collected(this.http.client.trace({ planId: this.planId, path }));
    assert.deepEqual([...new Set(traces.map(({ entry }) => entry.decisionId))].join(" "), why);
    for (const { revisions } of traces) {
      assert.deepEqual(
        revisions.map(({ revision }) => revision),
        [2],
      );
    }
  },
);
