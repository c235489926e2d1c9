import assert from "node:assert/strict";
import { test } from "node:test";
import * as z from "zod/mini";
import { itemReply, itemRevisionsReply } from "#lib/api/item-requests.ts";
import { problemDocument } from "#lib/api/problem-document.ts";
import { projectReply, resourceListReply } from "#lib/api/resource-requests.ts";
import { syncReply } from "#lib/api/sync-requests.ts";
import { itemContentSha256 } from "#lib/sync/item-content.ts";
import { emptyTree } from "#lib/tree/empty-tree.ts";
import { inMemoryService, type MemoryAnswer, owner } from "../in-memory-service.testkit.ts";

const documents = {
  actions: { description: "Renames.", plan: { decisions: [] } },
  skills: { description: "Reviews.", instructions: "Look twice." },
  tools: {
    description: "Looks up.",
    inputSchema: { type: "object" },
    run: { kind: "http", url: "https://tools.example/look" },
  },
} as const;
const kinds = ["actions", "skills", "tools"] as const;
const put = (body: object, headers: Readonly<Record<string, string>> = {}) => ({
  method: "PUT",
  body,
  headers,
});
const refusalOf = (answer: MemoryAnswer) => {
  const { code, field } = z.parse(problemDocument, answer.json());
  return [answer.status, code, field];
};

for (const kind of kinds) {
  const path = `/v1/${kind}/local/first`;
  const document = documents[kind];

  test(`${kind}: made, read with the revision as ETag, changed under If-Match, deleted, and every revision stays readable`, async () => {
    const service = inMemoryService();
    const made = await service.send(path, put(document));
    assert.deepEqual([made.status, made.headers.etag], [201, '"1"'], made.bytes.toString());
    const item = { id: "local/first", name: "first", version: "1", metadata: {}, ...document };
    const first = z.parse(itemReply, made.json());
    assert.deepEqual(first.item, item);
    assert.equal(first.contentSha256, itemContentSha256(item));
    assert.deepEqual((await service.send(path)).json(), first);

    assert.equal((await service.send(path, put(document))).headers.etag, '"1"');
    const changed = { ...document, description: "Changed.", version: "1.10" };
    const late = await service.send(path, put(changed, { "if-match": '"7"' }));
    assert.deepEqual(refusalOf(late), [409, "revision_conflict", undefined]);
    const update = await service.send(path, put(changed, { "if-match": '"1"' }));
    assert.deepEqual([update.status, update.headers.etag], [200, '"2"']);
    assert.equal(z.parse(itemReply, update.json()).serverId, first.serverId);
    const kept = await service.send(path, put({ ...document, description: "Later." }));
    assert.equal(z.parse(itemReply, kept.json()).version, "1.10", "a version that is not said stays");

    assert.equal(
      (await service.send(path, { method: "DELETE", headers: { "if-match": '"2"' } })).status,
      409,
    );
    for (const _ of [1, 2]) assert.equal((await service.send(path, { method: "DELETE" })).status, 204);
    assert.equal((await service.send(path)).status, 404);
    const list = z.parse(resourceListReply, (await service.send(`/v1/${kind}`)).json());
    assert.deepEqual(
      list.resources.map(({ id, revision, deleted }) => [id, revision, deleted]),
      [["local/first", 4, true]],
    );
    const page = z.parse(itemRevisionsReply, (await service.send(`${path}/revisions?limit=3`)).json());
    const rest = await service.send(`${path}/revisions?cursor=${page.cursor}`);
    assert.deepEqual(
      [...page.revisions, ...z.parse(itemRevisionsReply, rest.json()).revisions].map((row) => [
        row.revision,
        row.version,
        row.deleted,
      ]),
      [
        [4, "1.10", true],
        [3, "1.10", false],
        [2, "1.10", false],
        [1, "1", false],
      ],
    );
    for (const [revision, description] of [
      [1, document.description],
      [2, "Changed."],
      [4, "Later."],
    ]) {
      const old = z.parse(itemReply, (await service.send(`${path}/revisions/${revision}`)).json());
      assert.equal(old.item.description, description);
    }
    for (const revision of ["0", "5", "x", "99999999999"]) {
      assert.equal((await service.send(`${path}/revisions/${revision}`)).status, 404, revision);
    }
    const anew = await service.send(path, put(document, { "if-none-match": "*" }));
    assert.deepEqual([anew.status, anew.headers.etag], [201, '"5"']);
  });

  test(`${kind}: normal forms of an id are one item, letters of another case are another, other tenants see none`, async () => {
    const service = inMemoryService();
    const at = (name: string) => `/v1/${kind}/local/${encodeURIComponent(name)}`;
    const named = { ...document, name: "first" };
    assert.equal((await service.send(at("caf\u00e9"), put(named))).status, 201);
    assert.equal((await service.send(at("cafe\u0301"), put(named))).status, 200);
    assert.equal((await service.send(at("CAF\u00c9"), put(named))).status, 201);
    const stranger = { ...owner, tenant: "other" };
    assert.equal((await service.send(at("caf\u00e9"), { caller: stranger })).status, 404);
    assert.deepEqual((await service.send(`/v1/${kind}`, { caller: stranger })).json(), { resources: [] });
    assert.equal((await service.send(at("no spaces"), put(document))).status, 422);
  });
}

test("a document that breaks a rule of its kind is refused with the field", async () => {
  const service = inMemoryService();
  const refused = async (kind: string, body: object) =>
    refusalOf(await service.send(`/v1/${kind}/local/first`, put(body)));
  assert.deepEqual(await refused("skills", { id: "local/other" }), [422, "validation_failed", "/id"]);
  assert.deepEqual(await refused("skills", { version: 3 }), [422, "validation_failed", "/version"]);
  assert.deepEqual(await refused("skills", { description: [] }), [422, "validation_failed", "/description"]);
  assert.deepEqual(await refused("tools", { ...documents.tools, run: { kind: "http" } }), [
    ...[422, "validation_failed", "/run/url"],
  ]);
  assert.deepEqual(await refused("tools", { ...documents.tools, surprise: 1 }), [
    ...[422, "validation_failed", "/surprise"],
  ]);
  const template = { plan: { name: `\${{ args.who }}`, decisions: [] } };
  assert.deepEqual(await refused("actions", template), [422, "validation_failed", "/plan/name"]);
});

test("a project that is synced keeps what its file says through writes of its tree, and is hashed as the client hashes it", async () => {
  const service = inMemoryService();
  const path = "/v1/projects/local/app";
  const item = {
    ...{ id: "local/app", name: "The app", version: "1.0", metadata: { owner: "ada" } },
    ...{ tree: emptyTree.sha256, description: "ours" },
  };
  const send = async (operation: object) => {
    const answer = await service.send("/v1/sync", { body: { operations: [operation] } });
    return z.parse(syncReply, answer.json()).results[0];
  };
  const written = await send({ op: "put", kind: "projects", item, expectedRevision: 0 });
  assert.ok(written?.status === "written");
  assert.equal(written.row.contentSha256, itemContentSha256(item));
  const found = await send({ op: "get", kind: "projects", id: "local/app" });
  assert.ok(found?.status === "found");
  assert.deepEqual(found.item, item);

  const settings = { leastStrictProfile: "review" };
  const changed = await service.send(path, put({ tree: emptyTree.sha256, settings }));
  assert.equal(z.parse(projectReply, changed.json()).revision, 2);
  const after = await send({ op: "get", kind: "projects", id: "local/app" });
  assert.ok(after?.status === "found");
  assert.deepEqual(after.item, { ...item, settings });
  assert.equal(after.row.contentSha256, itemContentSha256({ ...item, settings }));
  const earlier = z.parse(itemReply, (await service.send(`${path}/revisions/1`)).json());
  assert.deepEqual(earlier.item, item);
});

test("a project without a tree or settings is taken as it is, with an empty tree", async () => {
  const service = inMemoryService();
  const item = { id: "local/app", name: "app", version: "1.0", metadata: {} };
  const operation = { op: "put", kind: "projects", item, expectedRevision: 0 };
  await service.send("/v1/sync", { body: { operations: [operation] } });
  const project = z.parse(projectReply, (await service.send("/v1/projects/local/app")).json());
  assert.deepEqual([project.tree, project.settings], [emptyTree.sha256, {}]);
  assert.equal(project.contentSha256, itemContentSha256(item));
  const read = z.parse(itemReply, (await service.send("/v1/projects/local/app/revisions/1")).json());
  assert.deepEqual(read.item, item);
});
