import assert from "node:assert/strict";
import { test } from "node:test";
import { contentSha256, gitBlobId } from "../content/content-state.ts";
import { InfrastructureError, PlanledgerError } from "../errors/planledger-error.ts";
import type { ResourceKind } from "../resource/resource-store.ts";
import { itemContentSha256 } from "../sync/item-content.ts";
import type { SyncBaseChange } from "../sync/sync-base-store.ts";
import { parseSyncItem } from "../sync/sync-item.ts";
import type { CatalogueAccess } from "./catalogue-access.ts";
import { catalogueSide } from "./catalogue-side.ts";
import { openCatalogue } from "./open-catalogue.ts";

const url = new URL("https://example.org/shop/catalogue.json");
const kinds: readonly ResourceKind[] = ["actions", "skills", "tools", "projects"];

/** A web server as a table of pages; it tells what was asked for. */
function web(pages: Readonly<Record<string, string | PlanledgerError>>) {
  const asked: string[] = [];
  const access: CatalogueAccess = {
    async get(from) {
      asked.push(from.pathname);
      const page = pages[from.pathname] ?? new PlanledgerError({ code: "external_failed", message: "404." });
      if (page instanceof PlanledgerError) throw page;
      return { status: "found", bytes: Buffer.from(page), etag: '"1"' };
    },
  };
  return { access, asked };
}

const skill = (id: string, instructions = "x", fields: Readonly<Record<string, unknown>> = {}) => ({
  ...{ id, name: id, version: "1", metadata: {}, instructions },
  ...fields,
});
const inline = (id: string) => ({ kind: "skills", document: skill(id) });
const hashOf = (document: unknown): string => {
  const parsed = parseSyncItem(document);
  assert.ok(parsed.kind === "item");
  return itemContentSha256(parsed.item);
};

async function opened(
  items: readonly unknown[],
  options: {
    readonly pages?: Readonly<Record<string, string | PlanledgerError>>;
    readonly known?: ReadonlyMap<string, string>;
    readonly bases?: readonly SyncBaseChange[];
    readonly scope?: readonly ResourceKind[];
  } = {},
) {
  const catalogue = JSON.stringify({ planledgerCatalogue: 1, items });
  const { access, asked } = web({ "/shop/catalogue.json": catalogue, ...options.pages });
  const remembered = new Map<string, string>();
  const scope = options.scope ?? kinds;
  const found = await openCatalogue({
    ...{ access, url, kinds: scope, seen: undefined },
    known: options.known ?? new Map(),
    async remember(more) {
      for (const [sha256, hash] of more) remembered.set(sha256, hash);
    },
  });
  assert.ok(found.kind === "read");
  const bases = { load: async () => options.bases ?? [] };
  const side = catalogueSide({ contents: found.contents, bases, access, url });
  const { rows } = await side.transport.list({ kinds: scope });
  return { rows, asked, remembered, side, faults: side.faults, seen: found.seen };
}

const base = (id: string, kind: ResourceKind = "skills"): SyncBaseChange => ({
  kind,
  id,
  base: {
    base: { kind: "content", serverId: "catalogue", version: "1", contentSha256: "a".repeat(64) },
    intents: [],
  },
});

test("items that stand in the catalogue are rows with their content's hash, and read as they stand there", async () => {
  const { rows, side, asked } = await opened([inline("team/b"), inline("team/a")]);
  assert.deepEqual(
    rows.map(({ id, contentSha256: hash, deleted }) => [id, hash, deleted]),
    ["team/a", "team/b"].map((id) => [id, hashOf(skill(id)), false]),
  );
  const [read] = await side.transport.read([{ kind: "skills", id: "team/a" }]);
  assert.ok(read?.status === "found");
  assert.deepEqual(read.item, skill("team/a"));
  assert.deepEqual(asked, ["/shop/catalogue.json"]);
});

test("a document elsewhere is fetched once, held to its hash, and known by it from then on", async () => {
  const text = JSON.stringify(skill("team/a"));
  const sha256 = contentSha256(Buffer.from(text));
  const entry = { kind: "skills", id: "team/a", version: "1", url: "skills/a.json", sha256 };
  const first = await opened([entry], { pages: { "/shop/skills/a.json": text } });
  assert.deepEqual(first.asked, ["/shop/catalogue.json", "/shop/skills/a.json"]);
  assert.equal(first.rows[0]?.contentSha256, hashOf(skill("team/a")));
  const [read] = await first.side.transport.read([{ kind: "skills", id: "team/a" }]);
  assert.equal(read?.status, "found");
  assert.equal(first.asked.length, 2);

  const again = await opened([entry], { pages: { "/shop/skills/a.json": text }, known: first.remembered });
  assert.deepEqual(again.asked, ["/shop/catalogue.json"]);
  assert.deepEqual(again.rows, first.rows);
});

test("a document that is not what the catalogue says is an error of that item, and the others are rows", async () => {
  const text = JSON.stringify(skill("team/other"));
  const right = contentSha256(Buffer.from(text));
  const entry = { kind: "skills", version: "1", url: "a.json" };
  const { rows, faults } = await opened(
    [
      { ...entry, id: "team/hash", sha256: "0".repeat(64) },
      { ...entry, id: "team/id", sha256: right },
      { ...entry, id: "team/gone", url: "gone.json", sha256: right },
      { ...entry, id: "team/place", url: "file:///etc/passwd", sha256: right },
      inline("team/good"),
    ],
    { pages: { "/shop/a.json": text } },
  );
  assert.deepEqual(
    rows.map(({ id }) => id),
    ["team/good"],
  );
  assert.deepEqual(
    faults.map(({ id }) => id),
    ["team/hash", "team/id", "team/gone", "team/place"],
  );
  assert.match(faults[0]?.reason ?? "", /has the SHA-256/);
  assert.match(faults[1]?.reason ?? "", /is team\/other in version 1; the catalogue says team\/id/);
  assert.match(faults[3]?.reason ?? "", /https/);
});

test("a server that is away while documents are fetched ends the reading, and what was fetched stays known", async () => {
  const text = JSON.stringify(skill("team/a"));
  const sha256 = contentSha256(Buffer.from(text));
  const items = [
    { kind: "skills", id: "team/a", version: "1", url: "a.json", sha256 },
    { kind: "skills", id: "team/b", version: "1", url: "b.json", sha256: "1".repeat(64) },
  ];
  const away = new InfrastructureError({ code: "external_failed", message: "503." });
  const pages = {
    "/shop/catalogue.json": JSON.stringify({ planledgerCatalogue: 1, items }),
    "/shop/a.json": text,
  };
  const { access } = web({ ...pages, "/shop/b.json": away });
  const remembered = new Map<string, string>();
  const reading = openCatalogue({
    ...{ access, url, kinds, seen: undefined, known: new Map<string, string>() },
    async remember(found) {
      for (const [hash, content] of found) remembered.set(hash, content);
    },
  });
  await assert.rejects(reading, away);
  assert.deepEqual([...remembered], [[sha256, hashOf(skill("team/a"))]]);
});

test("what stood there when both sides last agreed, and stands there no more, is a tombstone", async () => {
  const bases = [
    base("team/a"),
    base("team/b"),
    { ...base("team/c"), base: { base: { kind: "absent" }, intents: [] } } as const,
  ];
  const { rows } = await opened([inline("team/a")], { bases });
  assert.deepEqual(
    rows.map(({ id, deleted, contentSha256: hash }) => [id, deleted, deleted && hash]),
    [
      ["team/a", false, false],
      ["team/b", true, "a".repeat(64)],
    ],
  );
});

test("nothing counts as deleted that could be what cannot be read", async () => {
  const bases = [base("team/a"), base("team/b"), base("team/t", "tools")];
  const goneOf = async (entry: unknown) => {
    const { rows } = await opened([entry], { bases });
    return rows.filter(({ deleted }) => deleted).map(({ id }) => id);
  };
  const broken = { ...skill("team/a"), version: 7 };
  assert.deepEqual(await goneOf({ kind: "skills", document: broken }), ["team/b", "team/t"]);
  assert.deepEqual(await goneOf({ kind: "skills", document: { name: "no id" } }), ["team/t"]);
  assert.deepEqual(await goneOf({ kind: "skill", document: skill("team/a") }), []);
  assert.deepEqual(await goneOf("nothing"), []);
  assert.deepEqual(await goneOf({ kind: "skills", id: "team/a", url: "a.json" }), ["team/b", "team/t"]);
});

test("an id that stands twice is an error, and nothing is decided about it", async () => {
  const { rows, faults } = await opened([inline("team/a"), inline("team/a"), inline("team/b")], {
    bases: [base("team/a")],
  });
  assert.deepEqual(
    rows.map(({ id }) => id),
    ["team/b"],
  );
  assert.deepEqual(
    faults.map(({ id, field }) => [id, field]),
    [["team/a", "id"]],
  );
});

test("kinds outside the scope are neither fetched nor told", async () => {
  const entry = { kind: "tools", id: "team/t", version: "1", url: "t.json", sha256: "0".repeat(64) };
  const { rows, faults, asked } = await opened([entry, { kind: "tools" }, inline("team/a")], {
    scope: ["skills"],
  });
  assert.deepEqual([rows.length, faults, asked.length], [1, [], 1]);
});

test("a project's files make its tree, from texts, base64 and addresses, each held to its hash when it is read", async () => {
  const script = "#!/bin/sh\n";
  const sha256 = contentSha256(Buffer.from(script));
  const statement = { sha256, sizeBytes: script.length, gitBlobId: gitBlobId(Buffer.from(script)) };
  const project = { id: "team/app", name: "app", version: "1", metadata: {}, settings: {} };
  const files = [
    { path: "docs/a.md", text: "a" },
    { path: "b.bin", base64: Buffer.from([0, 1, 2]).toString("base64") },
    { path: "run.sh", mode: "100755", url: "/files/run.sh", ...statement },
  ];
  const entry = { kind: "projects", document: project, files };
  const { side, asked, rows } = await opened([entry], { pages: { "/files/run.sh": script } });
  assert.deepEqual([rows.length, asked.length], [1, 1]);
  const [read] = await side.transport.read([{ kind: "projects", id: "team/app" }]);
  assert.ok(read?.status === "found");
  const root = await side.trees.directory(String(read.item.tree));
  assert.deepEqual(
    root.entries.map(({ name }) => name),
    ["b.bin", "docs", "run.sh"],
  );
  assert.equal(Buffer.from(await side.trees.content(sha256)).toString(), script);
  assert.equal(Buffer.from(await side.trees.content(contentSha256(Buffer.from("a")))).toString(), "a");

  const other = await opened([entry], { pages: { "/files/run.sh": "#!/bin/bash" } });
  await assert.rejects(async () => other.side.trees.content(sha256), { code: "content_mismatch" });
  await assert.rejects(async () => other.side.trees.content("9".repeat(64)), { code: "content_missing" });

  const { faults } = await opened([
    { ...entry, files: [...files, { path: "../out", text: "x" }] },
    { kind: "skills", document: skill("team/s"), files },
    { ...entry, document: { ...project, id: "team/said", tree: "1".repeat(64) } },
    { ...entry, document: { ...project, id: "team/cut" }, files: [{ path: "a", base64: "YWJjZ" }] },
  ]);
  assert.deepEqual(
    faults.map(({ id }) => id),
    ["team/app", "team/s", "team/said", "team/cut"],
  );
});

test("what is no catalogue is refused with the place at fault", async () => {
  for (const [text, message] of [
    ["<html>", /./],
    ["[]", /none of version 1/],
    [JSON.stringify({ planledgerCatalogue: 2, items: [] }), /planledgerCatalogue/],
    [JSON.stringify({ planledgerCatalogue: 1 }), /items/],
    [JSON.stringify({ planledgerCatalogue: 1, items: Array.from({ length: 10_001 }, () => 1) }), /10000/],
    ['{"planledgerCatalogue":1,"items":[],"items":[]}', /items/],
  ] as const) {
    const { access } = web({ "/shop/catalogue.json": text });
    const reading = openCatalogue({
      ...{
        access,
        url,
        kinds,
        seen: undefined,
        known: new Map<string, string>(),
        remember: async () => undefined,
      },
    });
    await assert.rejects(
      reading,
      (error) => error instanceof PlanledgerError && message.test(error.message),
      text,
    );
  }
});

test("a catalogue whose bytes are those that were seen is unchanged, whatever its ETag says", async () => {
  const { seen } = await opened([inline("team/a")]);
  const text = JSON.stringify({ planledgerCatalogue: 1, items: [inline("team/a")] });
  const { access, asked } = web({ "/shop/catalogue.json": text });
  const found = await openCatalogue({
    ...{ access, url, kinds, seen, known: new Map<string, string>(), remember: async () => undefined },
  });
  assert.deepEqual([found, asked.length], [{ kind: "unchanged" }, 1]);
});
