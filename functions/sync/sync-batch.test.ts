import assert from "node:assert/strict";
import { test } from "node:test";
import * as z from "zod/mini";
import { problemDocument } from "#lib/api/problem-document.ts";
import { syncListReply, syncReply } from "#lib/api/sync-requests.ts";
import { InfrastructureError } from "#lib/errors/planledger-error.ts";
import type { ResourceStore } from "#lib/resource/resource-store.ts";
import { httpSyncTransport } from "#lib/sync/http-sync-transport.ts";
import { PlanSyncClient } from "#lib/sync/plan-sync-client.ts";
import { emptyTree } from "#lib/tree/empty-tree.ts";
import { inMemoryClient } from "../in-memory-client.testkit.ts";
import { inMemoryService, type MemoryAnswer, owner } from "../in-memory-service.testkit.ts";

const item = (id: string, members: object = {}) => ({
  id,
  name: id,
  version: "1.0",
  metadata: {},
  ...members,
});
const put = (kind: string, document: object, expectedRevision = 0) => ({
  op: "put",
  kind,
  item: document,
  expectedRevision,
});
const batch = (operations: readonly object[]) => ({ body: { operations } });
const resultsOf = (answer: MemoryAnswer) => {
  assert.equal(answer.status, 200, answer.bytes.toString());
  return z.parse(syncReply, answer.json()).results;
};
const refusalOf = (answer: MemoryAnswer) => {
  const { code, field } = z.parse(problemDocument, answer.json());
  return [answer.status, code, field];
};

test("each operation of a batch has its own result, in the order of the operations", async () => {
  const service = inMemoryService();
  const send = async (operations: readonly object[]) =>
    resultsOf(await service.send("/v1/sync", batch(operations)));
  await send([put("skills", item("local/taken")), put("skills", item("local/read"))]);
  const results = await send([
    put("skills", item("local/taken", { text: "other" })),
    put("actions", item("local/bad", { plan: { decisions: [{ id: `\${{ args.none }}` }] } })),
    put(
      "tools",
      item("local/bad", {
        name: "bad",
        description: "x",
        inputSchema: { type: "object" },
        run: { kind: "carrier pigeon" },
      }),
    ),
    put("skills", item("local/bad", { instructions: 7 })),
    put("projects", item("local/bad", { tree: "0".repeat(64) })),
    put(
      "projects",
      item("local/app", { tree: emptyTree.sha256, settings: { leastStrictProfile: "review" } }),
    ),
    { op: "get", kind: "skills", id: "local/read" },
    { op: "delete", kind: "skills", id: "local/never", expectedRevision: 1 },
    put("tools", item("local/good")),
  ]);
  assert.deepEqual(
    results.map((result) =>
      result.status === "refused" ? [result.status, result.code, result.field] : [result.status],
    ),
    [
      ["conflict"],
      ["refused", "validation_failed", "plan/decisions/0/id"],
      ["refused", "validation_failed", "run/kind"],
      ["refused", "validation_failed", "instructions"],
      ["refused", "content_missing", "tree"],
      ["written"],
      ["found"],
      ["conflict"],
      ["written"],
    ],
  );
});

test("F5: the same batch again, however much later, is the same items: nothing is written twice", async () => {
  const service = inMemoryService();
  const operations = ["a", "b", "c"].map((name) => put("skills", item(`local/${name}`)));
  const first = resultsOf(await service.send("/v1/sync", batch(operations)));
  service.advanceClock(365 * 86_400_000);
  const again = resultsOf(await service.send("/v1/sync", batch(operations)));
  assert.deepEqual(
    again,
    first.map((result) => ({ ...result, status: "unchanged" })),
  );
  const listed = z.parse(syncListReply, (await service.send("/v1/sync")).json());
  assert.deepEqual(
    listed.resources.map(({ id, revision }) => [id, revision]),
    ["a", "b", "c"].map((name) => [`local/${name}`, 1]),
  );
});

test("F7: items that the store does not take come back unprocessed, are sent again, and none is lost or doubled", async () => {
  const service = inMemoryService();
  const { resources } = service.ports;
  let puts = 0;
  const throttled: ResourceStore = {
    ...resources,
    async put(record) {
      puts += 1;
      // Of every third the answer alone is lost.
      if (puts % 3 === 0) await resources.put(record);
      if (puts % 3 !== 1) throw new InfrastructureError({ message: "throttled" });
      return resources.put(record);
    },
  };
  const { client, sent } = inMemoryClient(service.using({ resources: throttled }).send);
  const sync = new PlanSyncClient({
    transport: httpSyncTransport({ client }),
    delay: async () => undefined,
    random: () => 0,
  });
  const items = Array.from({ length: 250 }, (_, index) => item(`local/s${index}`));
  const summary = await sync.syncItems("skills", items);
  assert.deepEqual([summary.created, summary.errors], [250, []]);
  assert.ok(sent.length > 4, "nothing came back unprocessed");
  const listed = z.parse(syncListReply, (await service.send("/v1/sync")).json());
  assert.equal(listed.resources.length, 250);
  assert.ok(listed.resources.every(({ revision }) => revision === 1));
  assert.equal(new Set(listed.resources.map(({ serverId }) => serverId)).size, 250);
});

test("two clients at once: of rival writes of a revision one wins, and the other is told what stands", async () => {
  const service = inMemoryService();
  await service.send("/v1/sync", batch([put("skills", item("local/a"))]));
  const rivals = await Promise.all(
    ["one", "two"].map(async (text) =>
      resultsOf(await service.send("/v1/sync", batch([put("skills", item("local/a", { text }), 1)]))),
    ),
  );
  const [won, lost] = rivals.flat().toSorted(({ status }) => (status === "written" ? -1 : 1));
  assert.ok(won?.status === "written" && lost?.status === "conflict");
  assert.deepEqual(lost.found, won.row);
});

test("a batch that cannot be meant is refused as a whole, with the field, and nothing of it is done", async () => {
  const service = inMemoryService();
  const good = put("skills", item("local/a"));
  const refused = async (operations: readonly object[]) =>
    refusalOf(await service.send("/v1/sync", batch(operations)));
  assert.deepEqual(await refused([good, put("prompts", item("local/b"))]), [
    ...[422, "validation_failed", "/operations/1/kind"],
  ]);
  const decomposed = [put("skills", item("local/cafe\u0301")), put("skills", item("local/caf\u00e9"))];
  assert.deepEqual(await refused([good, ...decomposed]), [422, "validation_failed", "/operations/2"]);
  const many = Array.from({ length: 101 }, (_, index) => put("skills", item(`local/s${index}`)));
  assert.deepEqual(await refused(many), [422, "limit_exceeded", "/operations"]);
  assert.equal((await refused([]))[0], 422);
  const huge = put("skills", item("local/huge", { text: "x".repeat(4 * 1024 * 1024) }));
  assert.deepEqual(await refused([huge]), [413, "body_too_large", undefined]);
  const listed = z.parse(syncListReply, (await service.send("/v1/sync")).json());
  assert.deepEqual(listed.resources, []);
  for (const [query, field] of [
    ["kinds=tools,prompts", "kinds"],
    ["limit=5001", "limit"],
    ["cursor=abc", "cursor"],
  ]) {
    const answer = await service.send(`/v1/sync?${query}`);
    assert.deepEqual(refusalOf(answer), [
      422,
      field === "limit" ? "limit_exceeded" : "validation_failed",
      field,
    ]);
  }
});

test("an item above 1 MiB is refused alone", async () => {
  const service = inMemoryService();
  const large = item("local/large", { text: "x".repeat(1024 * 1024) });
  const [refused, written] = resultsOf(
    await service.send("/v1/sync", batch([put("skills", large), put("skills", item("local/a"))])),
  );
  assert.deepEqual([refused?.status, written?.status], ["refused", "written"]);
});

test("a token that may only read can read by batch, and writes nothing", async () => {
  const service = inMemoryService();
  await service.send("/v1/sync", batch([put("skills", item("local/a"))]));
  const caller = { ...owner, scopes: ["resources:read"] as const };
  const get = { op: "get", kind: "skills", id: "local/a" };
  const [found] = resultsOf(await service.send("/v1/sync", { ...batch([get]), caller }));
  assert.equal(found?.status, "found");
  const removal = { op: "delete", kind: "skills", id: "local/a", expectedRevision: 1 };
  for (const operation of [put("skills", item("local/b")), removal]) {
    const answer = await service.send("/v1/sync", { ...batch([get, operation]), caller });
    assert.deepEqual(refusalOf(answer).slice(0, 2), [403, "forbidden"]);
  }
  const stranger = { ...owner, tenant: "other" };
  const [gone] = resultsOf(await service.send("/v1/sync", { ...batch([get]), caller: stranger }));
  assert.deepEqual(gone, { status: "gone", row: null });
});

test("a reply stays within what a function may answer; what did not fit comes when it is asked for again", async () => {
  const service = inMemoryService();
  const text = "\n".repeat(500_000);
  const ids = Array.from({ length: 10 }, (_, index) => `local/s${index}`);
  for (const id of ids) await service.send("/v1/sync", batch([put("skills", item(id, { text }))]));
  const seen = new Set<string>();
  let rounds = 0;
  for (let left = ids; left.length > 0; rounds += 1) {
    const answer = await service.send(
      "/v1/sync",
      batch(left.map((id) => ({ op: "get", kind: "skills", id }))),
    );
    assert.ok(JSON.stringify(answer.bytes.toString()).length < 5 * 1024 * 1024);
    const found = resultsOf(answer).flatMap((result) => (result.status === "found" ? [result.row.id] : []));
    assert.ok(found.length > 0);
    for (const id of found) seen.add(id);
    left = left.filter((id) => !seen.has(id));
  }
  assert.equal(seen.size, 10);
  assert.ok(rounds > 1);
});

test("the listing comes in pages over all kinds, in order, and of the kinds that are asked for", async () => {
  const service = inMemoryService();
  const kinds = ["tools", "actions", "projects", "skills"];
  for (const kind of kinds) {
    const operations = ["b", "a", "c"].map((name) => put(kind, item(`local/${name}`)));
    await service.send("/v1/sync", batch(operations));
  }
  await service.send(
    "/v1/sync",
    batch([{ op: "delete", kind: "skills", id: "local/b", expectedRevision: 1 }]),
  );
  const listed = async (asked: string) => {
    const rows: string[] = [];
    let cursor: string | undefined;
    do {
      const query = new URLSearchParams({ limit: "2", ...(asked === "" ? {} : { kinds: asked }) });
      if (cursor !== undefined) query.set("cursor", cursor);
      const page = z.parse(syncListReply, (await service.send(`/v1/sync?${query}`)).json());
      assert.ok(page.resources.length <= 2);
      rows.push(...page.resources.map(({ kind, id, deleted }) => `${kind} ${id}${deleted ? " gone" : ""}`));
      cursor = page.cursor;
    } while (cursor !== undefined);
    return rows;
  };
  const all = kinds
    .toSorted()
    .flatMap((kind) =>
      ["a", "b", "c"].map(
        (name) => `${kind} local/${name}${kind === "skills" && name === "b" ? " gone" : ""}`,
      ),
    );
  assert.deepEqual(await listed(""), all);
  assert.deepEqual(
    await listed("tools,actions"),
    all.filter((row) => /^(?:tools|actions)/.test(row)),
  );
});
