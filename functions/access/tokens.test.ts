import assert from "node:assert/strict";
import { test } from "node:test";
import * as z from "zod/mini";
import type { Caller } from "#lib/access/caller.ts";
import { schedulePutRequest } from "#lib/api/schedule-requests.ts";
import { PlanledgerError } from "#lib/errors/planledger-error.ts";
import { memoryTimedRecords } from "#lib/schedule/memory-timed-records.ts";
import type { PlanSchedule } from "#lib/schedule/plan-schedule.ts";
import { saveSchedule } from "#lib/service/save-schedule.ts";
import { inMemoryService, type MemoryAnswer, owner } from "../in-memory-service.testkit.ts";

const created = z.object({
  id: z.string(),
  principal: z.string(),
  scopes: z.array(z.string()),
  token: z.string(),
});
const problem = z.object({
  code: z.string(),
  field: z.optional(z.string()),
  details: z.record(z.string(), z.unknown()),
});
const forbidden = (answer: MemoryAnswer, field: string): Readonly<Record<string, unknown>> => {
  assert.equal(answer.status, 403, answer.bytes.toString());
  const found = problem.parse(answer.json());
  assert.deepEqual([found.code, found.field], ["forbidden", field]);
  return found.details;
};
const maker: Caller = { ...owner, scopes: ["tokens:write", "plans:read", "plans:approve"] };
const make = (body: object, caller: Caller): Promise<MemoryAnswer> =>
  inMemoryService().send("/v1/tokens", { body, caller });

test("a token makes others of its own principal, with scopes that it has", async () => {
  const made = await make({ scopes: ["plans:read"] }, maker);
  assert.equal(made.status, 201);
  const { principal, scopes, token } = created.parse(made.json());
  assert.deepEqual([principal, scopes], ["ada", ["plans:read"]]);
  assert.match(token, /^plt_/);
  assert.equal((await make({ principal: "ada", scopes: ["plans:read"] }, maker)).status, 201);
});

test("a token grants no scope that it lacks: not one of several, nor the one that would let it grant more", async () => {
  for (const lacking of ["plans:write", "tokens:delegate"]) {
    const answer = await make({ scopes: ["plans:read", lacking] }, maker);
    assert.deepEqual(forbidden(answer, "/scopes").lacking, [lacking]);
  }
});

test("review is worth something: no token speaks for another principal unless it may", async () => {
  const puppet = { principal: "reviewer", scopes: ["plans:approve"] };
  assert.equal(forbidden(await make(puppet, maker), "/principal").required, "tokens:delegate");
  const administrator: Caller = { ...maker, scopes: [...maker.scopes, "tokens:delegate"] };
  const made = await make(puppet, administrator);
  assert.equal(made.status, 201);
  assert.equal(created.parse(made.json()).principal, "reviewer");
  // Speaking for another does not widen what may be granted.
  forbidden(await make({ ...puppet, scopes: ["plans:write"] }, administrator), "/scopes");
});

test("nor is a schedule saved for another principal without it", async () => {
  const { ports } = inMemoryService();
  const order = (scopes: Caller["scopes"]) => ({
    caller: { ...owner, scopes },
    name: "nightly",
    body: schedulePutRequest.parse({ cron: "0 3 * * *", action: "local/a", principal: "reviewer" }),
  });
  const save = (scopes: Caller["scopes"]) =>
    saveSchedule(
      { ...ports, schedules: memoryTimedRecords().store<PlanSchedule>("schedules") },
      order(scopes),
    );
  await assert.rejects(save(["plans:write", "tokens:write"]), { code: "forbidden" });
  // With it, what is wrong next is the action, which is not there.
  await assert.rejects(save(["plans:write", "tokens:delegate"]), (error) => {
    assert.ok(error instanceof PlanledgerError);
    assert.notEqual(error.code, "forbidden");
    return true;
  });
});
