import assert from "node:assert/strict";
import { test } from "node:test";
import { projectContentSha256 } from "../service/projects.ts";
import { itemContentSha256 } from "./item-content.ts";
import { readLocalItem } from "./local-entry.ts";
import { parseSyncItem, type SyncItem } from "./sync-item.ts";

const valid = { id: "local/a", name: "A", version: "1.0", metadata: { owner: "ada" }, text: "words" };

function parsed(value: unknown): SyncItem {
  const found = parseSyncItem(value);
  assert.ok(found.kind === "item", found.kind === "invalid" ? found.reason : "");
  return found.item;
}

test("the content hash leaves out the server id, under both of its names", () => {
  const hash = itemContentSha256(parsed(valid));
  for (const member of ["serverId", "server_id"]) {
    const synced = { ...valid, metadata: { ...valid.metadata, [member]: "res_1" } };
    assert.equal(itemContentSha256(parsed(synced)), hash);
    assert.deepEqual(parseSyncItem(synced), { kind: "item", item: parsed(valid), serverId: "res_1" });
  }
});

test("the content hash depends on everything else, and not on the order of members", () => {
  const hash = itemContentSha256(parsed(valid));
  const { text, ...rest } = valid;
  assert.equal(itemContentSha256(parsed({ text, ...rest })), hash);
  for (const changed of [
    { ...valid, id: "local/b" },
    { ...valid, name: "B" },
    { ...valid, version: "1.1" },
    { ...valid, metadata: {} },
    { ...valid, text: "word" },
    { ...valid, more: null },
  ]) {
    assert.notEqual(itemContentSha256(parsed(changed)), hash);
  }
});

test("ids and names in another normal form are the same content", () => {
  const composed = { ...valid, id: "local/caf\u00e9", name: "Caf\u00e9" };
  const decomposed = { ...valid, id: "local/cafe\u0301", name: "Cafe\u0301" };
  assert.equal(itemContentSha256(parsed(composed)), itemContentSha256(parsed(decomposed)));
});

test("a project's item has the hash that the service gives the project", () => {
  const project = { id: "local/app", version: "1", tree: "a".repeat(64), settings: { profile: "review" } };
  const item = parsed({ ...project, name: "app", metadata: {} });
  assert.equal(itemContentSha256(item), projectContentSha256(project));
});

for (const [what, document, field] of [
  ["no id", { ...valid, id: undefined }, "id"],
  ["an id of one part", { ...valid, id: "a" }, "id"],
  ["an id that leads out of its directory", { ...valid, id: "local/.." }, "id"],
  ["an empty name", { ...valid, name: "" }, "name"],
  ["no name", { ...valid, name: undefined }, "name"],
  ["a version that is a number", { ...valid, version: 1 }, "version"],
  ["no metadata", { ...valid, metadata: undefined }, "metadata"],
  ["metadata that is a list", { ...valid, metadata: [] }, "metadata"],
  ["a list for an item", [valid], ""],
] as const) {
  test(`an item with ${what} is a fault that names the field`, () => {
    const reading = readLocalItem("tools", { place: "tools/a.yaml", document });
    assert.ok(reading.status === "fault");
    assert.equal(reading.fault.field, field);
    assert.ok(reading.fault.item.includes("tools/a.yaml"));
    if (field !== "") assert.ok(reading.fault.reason.includes(field), reading.fault.reason);
    assert.equal(reading.fault.id, field === "id" || field === "" ? undefined : "local/a");
  });
}

test("what has no canonical form is a fault of the item, with a pointer to it", () => {
  const document = { ...valid, since: new Date(0) };
  const reading = readLocalItem("tools", { place: "tools/a.yaml", document });
  assert.ok(reading.status === "fault");
  assert.deepEqual([reading.fault.id, reading.fault.field], ["local/a", "/since"]);
});
