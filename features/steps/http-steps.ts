import assert from "node:assert/strict";
import { type DataTable, Then, When } from "@cucumber/cucumber";
import * as z from "zod/mini";
import { type AcceptedReply, acceptedReply } from "#lib/api/plan-replies.ts";
import { problemDocument } from "#lib/api/problem-document.ts";
import { collected } from "../support/collected.ts";
import { parsedRecord } from "../support/plan-text.ts";
import type { PlanWorld } from "../support/plan-world.ts";
import { serviceAddress } from "../support/service.ts";

interface Answer {
  readonly status: number;
  readonly contentType: string;
  readonly body: unknown;
}

const answers = new WeakMap<PlanWorld, readonly Answer[]>();

/** Plain HTTP, without the client library: what any caller can send. */
async function send(method: string, path: string, body?: string): Promise<Answer> {
  const { url, token } = serviceAddress();
  const response = await fetch(`${url}${path}`, {
    method,
    headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
    ...(body !== undefined && { body }),
  });
  const contentType = response.headers.get("content-type") ?? "";
  return { status: response.status, contentType, body: await response.json() };
}

function answersOf(world: PlanWorld): readonly Answer[] {
  const found = answers.get(world);
  assert.ok(found && found.length > 0, "nothing was sent");
  return found;
}

async function submit(world: PlanWorld, document: string): Promise<Answer> {
  return send("POST", `/v1/plans/${world.planId}/execute`, document);
}

When("the same document is submitted again under the same id", async function (this: PlanWorld) {
  answers.set(this, [await submit(this, JSON.stringify(this.document))]);
});

When(
  "the plan is submitted {int} times at the same time",
  async function (this: PlanWorld, times: number, text: string) {
    this.document = parsedRecord(text);
    const document = JSON.stringify(this.document);
    const all = await Promise.all(Array.from({ length: times }, () => submit(this, document)));
    answers.set(this, all);
    await this.http.execute({ planId: this.planId, document: this.document });
  },
);

When("another document is submitted under the same id", async function (this: PlanWorld, text: string) {
  answers.set(this, [await submit(this, JSON.stringify(parsedRecord(text)))]);
});

When("the body is submitted as a plan", async function (this: PlanWorld, text: string) {
  answers.set(this, [await submit(this, text)]);
});

When("the status of the plan {string} is asked for", async function (this: PlanWorld, planId: string) {
  answers.set(this, [await send("GET", `/v1/plans/${planId}`)]);
});

Then("the submission is accepted as the same plan", assertSamePlan);
Then("every submission is accepted as the same plan", assertSamePlan);
async function assertSamePlan(this: PlanWorld): Promise<void> {
  const { serverPlanId } = await this.http.status();
  for (const { status, body } of answersOf(this)) {
    assert.equal(status, 202, JSON.stringify(body));
    const reply: AcceptedReply = acceptedReply.parse(body);
    assert.equal(reply.planId, this.planId);
    assert.equal(reply.serverPlanId, serverPlanId);
  }
}

Then("the plan is listed once", async function (this: PlanWorld) {
  const plans = await collected(this.http.client.listPlans());
  assert.equal(plans.filter(({ planId }) => planId === this.planId).length, 1);
});

Then(
  "the service answers {int} with the code {string}",
  function (this: PlanWorld, status: number, code: string) {
    assertProblem(this, { status, code });
  },
);

Then(
  "the service answers {int} with the code {string} and the field {string}",
  function (this: PlanWorld, status: number, code: string, field: string) {
    assertProblem(this, { status, code, field });
  },
);

function assertProblem(
  world: PlanWorld,
  expected: { readonly status: number; readonly code: string; readonly field?: string },
): void {
  for (const { status, contentType, body } of answersOf(world)) {
    assert.equal(contentType, "application/problem+json");
    const problem = problemDocument.parse(body);
    assert.equal(problem.status, status);
    const found = {
      status,
      code: problem.code,
      ...(expected.field !== undefined && { field: problem.field }),
    };
    assert.deepEqual(found, expected, problem.detail);
  }
}

Then("the problem lists {names}", function (this: PlanWorld, words: readonly string[]) {
  const [answer] = answersOf(this);
  const { detail } = problemDocument.parse(answer?.body);
  for (const word of words) {
    assert.ok(detail.includes(word), `"${word}" is not in: ${detail}`);
  }
});

When("it is resumed with the corrected tool calls", async function (this: PlanWorld, text: string) {
  const toolCalls = z.record(
    z.string(),
    z.array(z.object({ tool: z.string(), input: z.record(z.string(), z.unknown()) })),
  );
  await this.http.resume(toolCalls.parse(parsedRecord(text)));
});

Then("it is run {int}", async function (this: PlanWorld, run: number) {
  assert.equal((await this.driver.report()).run, run);
});

Then(
  "{string} landed in run {int}, {names} in run {int}",
  async function (this: PlanWorld, id: string, first: number, ids: readonly string[], second: number) {
    const found = (await this.http.decisions()).map(({ decisionId, run }) => [decisionId, run]);
    assert.deepEqual(found, [[id, first], ...ids.map((one) => [one, second])]);
  },
);

Then(
  "run {int} still says that decision {string} failed",
  async function (this: PlanWorld, run: number, decisionId: string) {
    const found = (await this.http.decisions(run)).find((one) => one.decisionId === decisionId);
    assert.equal(found?.status, "failed");
  },
);

Then("the status lists the failures", async function (this: PlanWorld, table: DataTable) {
  const { failures } = await this.http.status();
  assert.deepEqual(
    failures.map(({ decisionId, status, code }) => ({ decision: decisionId, status, code })),
    table.hashes(),
  );
  for (const { decisionId, message } of failures) {
    assert.ok(message.length > 0, `no reason is given for ${decisionId}`);
  }
});
