import assert from "node:assert/strict";
import { test } from "node:test";
import * as z from "zod/mini";
import { problemDocument } from "#lib/api/problem-document.ts";
import { emptyTree } from "#lib/tree/empty-tree.ts";
import { inMemoryService } from "./in-memory-service.testkit.ts";

test("what is larger than a reply is no fault of the service: the caller is told to ask for less at a time", async () => {
  const service = inMemoryService();
  for (let revision = 1; revision <= 6; revision += 1) {
    const body = { tree: emptyTree.sha256, settings: { revision, long: "x".repeat(900_000) } };
    const answer = await service.send("/v1/projects/local/long", { method: "PUT", body });
    assert.ok(answer.status < 300, answer.bytes.toString());
  }
  const answer = await service.send("/v1/projects/local/long/revisions?limit=100");
  const problem = z.parse(problemDocument, answer.json());
  assert.deepEqual([answer.status, problem.code, problem.field], [422, "limit_exceeded", "limit"]);
  assert.equal((await service.send("/v1/projects/local/long/revisions?limit=3")).status, 200);
});
