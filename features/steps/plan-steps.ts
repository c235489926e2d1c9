import assert from "node:assert/strict";
import { type DataTable, Given, Then, When } from "@cucumber/cucumber";
import { fileBytes, fileTable, shownBytes } from "../support/files.ts";
import { assertGitAgrees } from "../support/git-apply.ts";
import { httpDriver } from "../support/http-driver.ts";
import { parsedRecord } from "../support/plan-text.ts";
import type { PlanWorld } from "../support/plan-world.ts";
import { serviceAddress } from "../support/service.ts";

Given("a planner in process", function (this: PlanWorld) {
  this.planInProcess();
});

Given("a planner over HTTP", function (this: PlanWorld) {
  this.planOverHttp(serviceAddress());
});

Given("the project holds", async function (this: PlanWorld, table: DataTable) {
  this.project = fileTable(table);
  await this.driver.provideProject(this.project);
});

When("the plan is executed", executePlan);
Given("the plan was executed", executePlan);
async function executePlan(this: PlanWorld, text: string): Promise<void> {
  this.document = parsedRecord(text);
  await this.driver.execute({ planId: this.planId, document: this.document });
}

Given("the plan {string} was executed", async function (this: PlanWorld, planId: string, text: string) {
  this.planId = planId;
  await executePlan.call(this, text);
});

When("somebody tries to execute the plan", async function (this: PlanWorld, text: string) {
  const plan = { planId: this.planId, document: parsedRecord(text) };
  await this.expectRefusal(() => this.driver.execute(plan));
});

When("a planner over HTTP executes the same plan on the same files", async function (this: PlanWorld) {
  const other = httpDriver(serviceAddress());
  await other.provideProject(this.project);
  await other.execute({ planId: this.planId, document: this.document });
  this.otherDigest = (await other.report()).digest;
});

Then("both digests are the same", async function (this: PlanWorld) {
  const { digest } = await this.driver.report();
  assert.match(digest ?? "", /^[0-9a-f]{64}$/);
  assert.equal(this.otherDigest, digest);
});

Then("it is refused with the code {string}", function (this: PlanWorld, code: string) {
  assert.equal(this.refusal().code, code);
});

Then("the plan ended as {string}", async function (this: PlanWorld, phase: string) {
  const report = await this.driver.report();
  assert.equal(report.phase, phase, JSON.stringify(report.decisions.filter((one) => one.code !== undefined)));
  assert.match(report.digest ?? "", /^[0-9a-f]{64}$/, "every ended run is sealed");
});

Then("these decisions landed: {names}", async function (this: PlanWorld, ids: readonly string[]) {
  const { decisions } = await this.driver.report();
  const landed = decisions.filter(({ status }) => status === "landed");
  assert.deepEqual(
    landed.map(({ decisionId }) => decisionId),
    ids,
  );
});

Then(
  "decision {string} has failed with {string}",
  async function (this: PlanWorld, decisionId: string, code: string) {
    const { decisions } = await this.driver.report();
    assert.deepEqual(
      decisions.find((one) => one.decisionId === decisionId),
      { decisionId, status: "failed", code, because: [] },
    );
  },
);

Then(
  "decision {string} was passed over because of {string}",
  async function (this: PlanWorld, decisionId: string, needed: string) {
    const { decisions } = await this.driver.report();
    assert.deepEqual(
      decisions.find((one) => one.decisionId === decisionId),
      { decisionId, status: "skipped", code: "dependency_failed", because: [needed] },
    );
  },
);

Then("{int} tool call(s) ran", async function (this: PlanWorld, count: number) {
  assert.equal((await this.driver.report()).toolCalls, count);
});

Then("the entries are", async function (this: PlanWorld, table: DataTable) {
  const { entries } = await this.driver.report();
  const found = entries.map(({ decisionId, callOrdinal, kind, path }) => ({
    decision: decisionId,
    call: String(callOrdinal),
    kind,
    path,
  }));
  assert.deepEqual(sorted(found), sorted(table.hashes()));
});

/** Entries of one call have no order of their own; those of different calls keep theirs. */
function sorted(rows: readonly Readonly<Record<string, string>>[]): readonly string[] {
  const call = (row: Readonly<Record<string, string>> | undefined) => `${row?.decision} ${row?.call}`;
  const groups: Readonly<Record<string, string>>[][] = [];
  for (const row of rows) {
    const last = groups.at(-1);
    if (last !== undefined && call(last[0]) === call(row)) {
      last.push(row);
    } else {
      groups.push([row]);
    }
  }
  return groups.flatMap((group) => group.map((row) => `${call(row)} ${row.kind} ${row.path}`).sort());
}

Then("the events are, in order", async function (this: PlanWorld, table: DataTable) {
  const { events } = await this.driver.report();
  const expected = table.hashes().map(({ type, decision }) => `${type} ${decision ?? ""}`.trim());
  assert.deepEqual(
    events.map(({ type, decisionId }) => `${type} ${decisionId ?? ""}`.trim()),
    expected,
  );
});

Then("it made no changes", async function (this: PlanWorld) {
  const { noChanges, entries } = await this.driver.report();
  assert.equal(noChanges, true);
  assert.deepEqual(entries, []);
});

Then("the diff is empty", async function (this: PlanWorld) {
  assert.equal((await this.driver.diff()).byteLength, 0);
});

Then("the diff shows", async function (this: PlanWorld, lines: string) {
  const diff = Buffer.from(await this.driver.diff()).toString();
  assert.ok(diff.includes(lines), diff);
});

Then("the file {string} now holds {}", async function (this: PlanWorld, path: string, text: string) {
  const hex = /^the bytes "([0-9a-f]*)"$/.exec(text)?.[1];
  const expected = hex === undefined ? fileBytes(text) : Buffer.from(hex, "hex");
  const found = await this.resultFile(path);
  assert.ok(found, `there is no file ${path}`);
  assert.equal(shownBytes(found), shownBytes(expected));
});

Then("there is no file {string}", async function (this: PlanWorld, path: string) {
  assert.equal(await this.resultFile(path), undefined);
});

Then(
  "the output of call {int} of decision {string} is kept",
  async function (this: PlanWorld, callOrdinal: number, decisionId: string) {
    assert.ok((await this.driver.output(decisionId, callOrdinal)).byteLength > 0);
  },
);

Then("git applies the diff to the project and comes to the same files", async function (this: PlanWorld) {
  await assertGitAgrees({
    base: this.project,
    diff: await this.driver.diff(),
    result: await this.resultFiles(),
  });
});
