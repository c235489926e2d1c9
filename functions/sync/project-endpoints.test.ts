import assert from "node:assert/strict";
import { test } from "node:test";
import * as z from "zod/mini";
import { problemDocument } from "#lib/api/problem-document.ts";
import { projectReply, resourceListReply } from "#lib/api/resource-requests.ts";
import { emptyTree } from "#lib/tree/empty-tree.ts";
import { inMemoryService, owner } from "../in-memory-service.testkit.ts";

const path = "/v1/projects/local/app";
const put = { method: "PUT", body: { tree: emptyTree.sha256 } };
const withSettings = (settings: object, more: object = {}) => ({
  method: "PUT",
  body: { tree: emptyTree.sha256, settings, ...more },
});

test("a project is made, read with its revision as ETag, and written again only when something differs", async () => {
  const service = inMemoryService();
  const made = await service.send(path, put);
  assert.equal(made.status, 201, made.bytes.toString());
  assert.equal(made.headers.etag, '"1"');
  const same = await service.send(path, put);
  assert.deepEqual([same.status, same.headers.etag], [200, '"1"']);
  const changed = await service.send(path, withSettings({ profile: "review" }));
  assert.deepEqual([changed.status, changed.headers.etag], [200, '"2"']);
  const read = z.parse(projectReply, (await service.send(path)).json());
  assert.deepEqual(
    [read.revision, read.gitTreeId, read.settings],
    [2, emptyTree.gitTreeId, { profile: "review" }],
  );
  assert.equal(read.serverId, z.parse(projectReply, made.json()).serverId);
});

test("a write that expects another revision is refused, and told which one stands and by whom", async () => {
  const service = inMemoryService();
  await service.send(path, put);
  for (const request of [
    withSettings({ a: 1 }, { expectedRevision: 0 }),
    { ...withSettings({ a: 1 }), headers: { "if-match": '"7"' } },
    { ...withSettings({ a: 1 }), headers: { "if-none-match": "*" } },
  ]) {
    const answer = await service.send(path, request);
    const problem = z.parse(problemDocument, answer.json());
    assert.deepEqual([answer.status, problem.code], [409, "revision_conflict"]);
    assert.deepEqual([problem.details?.foundRevision, problem.details?.updatedBy], [1, "ada"]);
  }
  const answer = await service.send(path, { ...withSettings({ a: 1 }), headers: { "if-match": '"1"' } });
  assert.equal(answer.status, 200);
  const twice = { ...withSettings({ a: 2 }, { expectedRevision: 2 }), headers: { "if-match": '"3"' } };
  assert.equal((await service.send(path, twice)).status, 422);
});

test("a conditional write may be repeated; one that has not seen what came in between is refused, though it would change nothing", async () => {
  const service = inMemoryService();
  const send = async (request: object, ifMatch: string) =>
    (await service.send(path, { ...request, headers: { "if-match": `"${ifMatch}"` } })).status;
  const write = withSettings({ a: 2 });
  await service.send(path, put);
  assert.equal(await send(write, "1"), 200);
  assert.deepEqual([await send(write, "1"), await send(write, "2")], [200, 200]);
  assert.deepEqual([await send(write, "0"), await send(write, "7")], [409, 409]);
  await service.send(path, put);
  await service.send(path, write);
  assert.equal(z.parse(projectReply, (await service.send(path)).json()).revision, 4);
  assert.deepEqual([await send(write, "1"), await send(write, "2")], [409, 409]);
  const remove = { method: "DELETE" };
  assert.equal(await send(remove, "4"), 204);
  assert.deepEqual([await send(remove, "4"), await send(remove, "5")], [204, 204]);
  assert.equal(await send(remove, "3"), 409);
  const anew = { ...write, headers: { "if-none-match": "*" } };
  assert.equal((await service.send(path, anew)).status, 201);
  assert.equal((await service.send(path, anew)).status, 200);
});

test("two writers at once: with the same expected revision one wins, without one both are written", async () => {
  const service = inMemoryService();
  const expecting = await Promise.all(
    [1, 2].map((n) => service.send(path, withSettings({ n }, { expectedRevision: 0 }))),
  );
  assert.deepEqual(expecting.map(({ status }) => status).sort(), [201, 409]);
  const blind = await Promise.all([3, 4].map((n) => service.send(path, withSettings({ n }))));
  assert.deepEqual(
    blind.map(({ status }) => status),
    [200, 200],
  );
  assert.equal(z.parse(projectReply, (await service.send(path)).json()).revision, 3);
});

test("a deletion leaves a tombstone, can be repeated, and a later write goes on from it", async () => {
  const service = inMemoryService();
  await service.send(path, put);
  for (const _ of [1, 2]) assert.equal((await service.send(path, { method: "DELETE" })).status, 204);
  assert.equal((await service.send(path)).status, 404);
  const list = z.parse(resourceListReply, (await service.send("/v1/projects")).json());
  assert.deepEqual(
    list.resources.map(({ id, revision, deleted }) => [id, revision, deleted]),
    [["local/app", 2, true]],
  );
  const again = await service.send(path, put);
  assert.deepEqual([again.status, again.headers.etag], [201, '"3"']);
  assert.equal((await service.send("/v1/projects/local/never", { method: "DELETE" })).status, 404);
});

test("ids that differ only in Unicode normal form are one project; other tenants see none of it", async () => {
  const service = inMemoryService();
  const composed = encodeURIComponent("caf\u00e9");
  const decomposed = encodeURIComponent("cafe\u0301");
  assert.equal((await service.send(`/v1/projects/local/${composed}`, put)).status, 201);
  assert.equal((await service.send(`/v1/projects/local/${decomposed}`, put)).status, 200);
  const stranger = { ...owner, tenant: "other" };
  assert.equal((await service.send(`/v1/projects/local/${composed}`, { caller: stranger })).status, 404);
  const list = z.parse(resourceListReply, (await service.send("/v1/projects", { caller: stranger })).json());
  assert.deepEqual(list.resources, []);
});
