import assert from "node:assert/strict";
import { chmod, mkdir, readFile, rename, stat, symlink } from "node:fs/promises";
import { join } from "node:path";
import { after, test } from "node:test";
import { nodeDirectoryFiles } from "../../apply/node-directory-files.ts";
import { actionDefinitionOfItem } from "../../resource/action-definition.ts";
import type { ResourceKind } from "../../resource/resource-store.ts";
import { toolDefinitionOfItem } from "../../tools/external/tool-item.ts";
import { itemContentSha256 } from "../item-content.ts";
import type { SyncItem } from "../sync-item.ts";
import { contractItem } from "../sync-transport.contract.ts";
import { fileLocalItems } from "./file-local-items.ts";
import { fileSyncBaseStore } from "./file-sync-base-store.ts";
import { itemFileName } from "./item-file-name.ts";
import { scratchDirectory } from "./scratch-directory.testkit.ts";

const directory = scratchDirectory();
after(directory.remove);

async function opened(files: Readonly<Record<string, string | Uint8Array>>) {
  const root = await directory.make();
  await directory.put(root, files);
  const local = fileLocalItems({ root });
  return {
    root,
    local,
    only: async (kind: ResourceKind): Promise<SyncItem> => {
      const { entries, faults } = await local.read([kind]);
      assert.deepEqual(faults, []);
      const [entry] = entries;
      assert.ok(entry !== undefined && entries.length === 1);
      const loaded = await local.load(entry);
      assert.ok(loaded !== undefined);
      return loaded.item;
    },
    text: (path: string) => readFile(join(root, path), "utf8"),
  };
}

const toolText = `name: look
description: Looks.
inputSchema: { type: object }
run: { kind: http, url: "https://a.example/" }
_meta:
  version: "1.0"
  vendor.example/rank: 3 # of theirs
  id: local/look
`;

test("a tool's file is an MCP tool definition: id and version in _meta, the rest of _meta kept", async () => {
  const { local, only, text } = await opened({ "tools/look.yaml": toolText });
  const item = await only("tools");
  assert.deepEqual([item.id, item.name, item.version, item.metadata], ["local/look", "look", "1.0", {}]);
  const { _meta } = toolDefinitionOfItem(item);
  assert.deepEqual(_meta, { version: "1.0", "vendor.example/rank": 3, id: "local/look" });
  await local.writeServerId({ kind: "tools", id: "local/look", serverId: "res_1" });
  assert.equal(await text("tools/look.yaml"), `${toolText}  server_id: res_1\n`);
  assert.deepEqual(await only("tools"), item);
});

test("an action's file is its item; name and metadata may be left unsaid, and stay so", async () => {
  const file = 'id: local/do\nversion: "2"\nplan: { decisions: [] }\n';
  const { local, only, text } = await opened({ "actions/x.yml": file });
  const item = await only("actions");
  assert.deepEqual([item.name, item.metadata], ["do", {}]);
  assert.equal(actionDefinitionOfItem(item).name, "do");
  const change = { kind: "actions", serverId: "res_1", expectedSha256: itemContentSha256(item) } as const;
  await local.write({ ...change, item: { ...item, version: "3" }, keepCopy: false });
  assert.equal(await text("actions/x.yml"), `${file.replace('"2"', '"3"')}metadata:\n  server_id: res_1\n`);
});

test("F19: a version without quotes is what is written: 1.10 is no 1.1", async () => {
  const file = "id: local/do\nversion: 1.10 # ten\nplan: {}\n";
  const { local, only, text } = await opened({ "actions/x.yaml": file });
  assert.equal((await only("actions")).version, "1.10");
  await local.writeServerId({ kind: "actions", id: "local/do", serverId: "res_1" });
  assert.equal(await text("actions/x.yaml"), `${file}metadata:\n  server_id: res_1\n`);
});

test("F19: a version without quotes between braces stays 1.10, whatever is written beside it", async () => {
  const file = "name: look\n_meta: { id: local/look, version: 1.10, rank: 3 }\n";
  const { local, only, text } = await opened({ "tools/look.yaml": file });
  const item = await only("tools");
  assert.equal(item.version, "1.10");
  const key = { kind: "tools", id: "local/look" } as const;
  assert.equal(await local.writeServerId({ ...key, serverId: "res_1" }), "written");
  assert.equal(await text("tools/look.yaml"), file.replace("3 }", "3, server_id: res_1 }"));

  const { _meta, ...withoutRank } = await only("tools");
  const change = { kind: "tools", serverId: "res_1", keepCopy: false } as const;
  const expectedSha256 = itemContentSha256(item);
  assert.equal(await local.write({ ...change, item: withoutRank, expectedSha256 }), "written");
  assert.deepEqual(await only("tools"), withoutRank);
});

test("a file keeps its permissions when it is written: what others must not read stays so", async () => {
  const { root, local } = await opened({ "actions/a.yaml": "id: local/a\nversion: '1'\n" });
  const path = join(root, "actions/a.yaml");
  for (const permissions of [0o600, 0o750]) {
    await chmod(path, permissions);
    const serverId = `res_${permissions}`;
    await local.writeServerId({ kind: "actions", id: "local/a", serverId });
    assert.match(await readFile(path, "utf8"), new RegExp(serverId));
    assert.equal((await stat(path)).mode & 0o777, permissions);
  }
});

test("a skill without metadata has the id of its folder and version 1; its Markdown stays as it is", async () => {
  const file = "---\nname: review\ndescription: How.\n---\n\n\n# Two lines above\n\ttab  \nno line end";
  const { local, only, text } = await opened({ "skills/review/SKILL.md": file });
  const item = await only("skills");
  assert.deepEqual([item.id, item.version], ["local/review", "1"]);
  assert.equal(item.instructions, "\n# Two lines above\n\ttab  \nno line end");
  await local.writeServerId({ kind: "skills", id: "local/review", serverId: "res_1" });
  const noted = file.replace("How.\n", "How.\nmetadata:\n  server_id: res_1\n");
  assert.equal(await text("skills/review/SKILL.md"), noted);
  const elsewhere = await opened({ "skills/rev iew/SKILL.md": file });
  const [fault] = (await elsewhere.local.read(["skills"])).faults;
  assert.match(fault?.reason ?? "", /^skills\/rev iew\/SKILL\.md:2: metadata\.id must be/);
});

test("line ends of Windows, a byte order mark and the mode of a file stay, and are no content", async () => {
  const unix = "---\nname: a\ndescription: b # c\n---\n# A\n\ntext\n";
  const { local, only, text, root } = await opened({
    "skills/a/SKILL.md": `\uFEFF${unix.replaceAll("\n", "\r\n")}`,
  });
  await chmod(join(root, "skills/a/SKILL.md"), 0o755);
  const item = await only("skills");
  assert.equal(item.instructions, "# A\n\ntext\n");
  const change = { kind: "skills", serverId: "res_1", expectedSha256: itemContentSha256(item) } as const;
  await local.write({ ...change, item: { ...item, instructions: "# B\n" }, keepCopy: false });
  assert.equal(
    await text("skills/a/SKILL.md"),
    "\uFEFF---\r\nname: a\r\ndescription: b # c\r\nmetadata:\r\n  server_id: res_1\r\n---\r\n# B\r\n",
  );
  assert.equal((await stat(join(root, "skills/a/SKILL.md"))).mode & 0o100, 0o100);
});

test("F5: each broken file is one fault with its line, and the others are read", async () => {
  const { local } = await opened({
    "actions/a.yaml": "id: local/a\nversion: '1'\nname: [\n",
    "actions/b.yaml": "version: '1'\n",
    "actions/c.yaml": "id: local/c\nversion: '1'\nmetadata: 3\n",
    "actions/d.yaml": new Uint8Array([0xff, 0xfe]),
    "actions/e.yaml": "- a\n",
    "actions/good.yaml": "id: local/good\nversion: '1'\n",
    "actions/.hidden.yaml": "[",
    "actions/readme.txt": "[",
    "skills/s/SKILL.md": "---\nname: s\nmetadata:\n  version: []\n---\n",
    "skills/notes.md": "no skill",
    "tools/t.yaml": "name: t\n_meta:\n  version: '1'\n",
  });
  const { entries, faults } = await local.read(["actions", "skills", "tools"]);
  assert.deepEqual(
    entries.map(({ id }) => id),
    ["local/good"],
  );
  const told = faults.map(({ reason }) => reason.slice(0, reason.indexOf(": ")));
  assert.deepEqual(told, [
    "actions/a.yaml:4",
    "actions/b.yaml:1",
    "actions/c.yaml:3",
    "actions/d.yaml",
    "actions/e.yaml:1",
    "skills/s/SKILL.md:4",
    "tools/t.yaml:2",
  ]);
  assert.match(faults.at(-1)?.reason ?? "", /_meta\.id is missing/);
  assert.equal(faults[2]?.id, "local/c");
});

test("what is of the wrong type, empty or no version is told as that, with its field and line", async () => {
  const cases = [
    ["id: 5\nversion: '1'\n", ":1: id is the number 5; it must be namespace/name"],
    ["id: local/a\nversion: ''\n", ":2: version is empty; it must be a text"],
    ["id: local/a\nversion:\n", ":2: version is missing"],
    ["id: local/a\nversion: .inf\n", ":2: version is the number Infinity; it must be a text"],
    ["id: local/a\nversion: .nan\n", ":2: version is the number NaN"],
    ["id: local/a\nversion: 0x10\n", ":2: version is the number 16"],
    ["id: local/a\nversion: [1]\n", ":2: version is a list"],
    ["id: local/a\nversion: '1'\nname: { a: 1 }\n", ":3: name is an object"],
    ["id: local/a\nversion: '1'\nmetadata: text\n", ":3: metadata is the string text; it must be an object"],
  ] as const;
  for (const [text, said] of cases) {
    const { local } = await opened({ "actions/a.yaml": text });
    const { faults } = await local.read(["actions"]);
    assert.equal(faults.length, 1);
    assert.ok(faults[0]?.reason.startsWith(`actions/a.yaml${said}`), faults[0]?.reason);
  }
});

test("an anchor that is used elsewhere does not keep a server id from being noted beside it", async () => {
  const file =
    "# Ours.\nid:   local/a\nversion: 1.10\nmetadata: &m\n  owner: ada   # who\nplan:   {note: *m}\n";
  const { root, local } = await opened({ "actions/a.yaml": file });
  assert.equal(await local.writeServerId({ kind: "actions", id: "local/a", serverId: "res_1" }), "written");
  assert.equal(
    await readFile(join(root, "actions/a.yaml"), "utf8"),
    file.replace("# who\n", "# who\n  server_id: res_1\n").replace("*m", "{ owner: ada }"),
  );
});

test("nothing is read or written through a symbolic link", async () => {
  const outside = await directory.make();
  const file = "id: local/a\nversion: '1'\n";
  await directory.put(outside, { "a.yaml": file, "skill/SKILL.md": "---\nname: x\n---\n" });
  const { root, local } = await opened({ "actions/good.yaml": "id: local/good\nversion: '1'\n" });
  await symlink(join(outside, "a.yaml"), join(root, "actions/a.yaml"));
  await mkdir(join(root, "skills"));
  await symlink(join(outside, "skill"), join(root, "skills/skill"));
  await symlink(outside, join(root, "tools"));
  const { entries, faults } = await local.read(["actions", "skills", "tools"]);
  assert.deepEqual(
    entries.map(({ id }) => id),
    ["local/good"],
  );
  assert.equal(faults.length, 3);
  for (const { reason } of faults) assert.match(reason, /symbolic link/);
  const item = { ...contractItem("local/new"), name: "new" };
  const write = { serverId: "res_1", expectedSha256: undefined, keepCopy: false };
  await assert.rejects(local.write({ ...write, kind: "tools", item }), { code: "symlink_refused" });
  assert.deepEqual(Object.keys(await directory.picture(outside)).sort(), ["a.yaml", "skill/SKILL.md"]);
});

test("ids that differ in case only are two, or a clear error where the disk takes them for one", async () => {
  const write = { kind: "actions", serverId: "res_1", expectedSha256: undefined, keepCopy: false } as const;
  const item = (id: string): SyncItem => ({ id, name: "x", version: "1", metadata: {} });
  const both = await opened({});
  for (const id of ["local/Rename", "local/rename"]) await both.local.write({ ...write, item: item(id) });
  assert.equal((await both.local.read(["actions"])).entries.length, 2);

  const { root } = await opened({});
  const disk = nodeDirectoryFiles();
  const folding = (path: string) => root + path.slice(root.length).toLowerCase();
  const local = fileLocalItems({
    root,
    files: {
      ...disk,
      lookup: (path) => disk.lookup(folding(path)),
      read: (path, kind) => disk.read(folding(path), kind),
      rename: (from, to) => disk.rename(folding(from), folding(to)),
    },
  });
  await local.write({ ...write, item: item("local/Rename") });
  await assert.rejects(local.write({ ...write, item: item("local/rename") }), (error: Error) => {
    assert.match(error.message, /local\/rename.*local\/Rename.*differ only in case/);
    return true;
  });
  assert.deepEqual(
    (await local.read(["actions"])).entries.map(({ id }) => id),
    ["local/Rename"],
  );
});

test("file names of pulled items are safe on any disk, and no two items share one", async () => {
  const named = (id: string) => itemFileName(id, { distinct: false });
  assert.equal(named("local/rename"), "rename");
  assert.equal(named("team/rename"), "team.rename");
  assert.equal(named("local/.hidden"), "_hidden");
  assert.equal(named("local/con.x"), "_con.x");
  assert.equal(named("local/dot."), "dot_");
  assert.ok(Buffer.byteLength(named(`local/${"\u{20000}".repeat(64)}`)) < 200);
  const { local, root } = await opened({});
  const write = { kind: "actions", serverId: "res_1", expectedSha256: undefined, keepCopy: false } as const;
  for (const id of ["local/team.x", "team/x"]) {
    await local.write({ ...write, item: { id, name: "n", version: "1", metadata: {} } });
  }
  const { entries } = await local.read(["actions"]);
  assert.deepEqual(entries.map(({ id }) => id).sort(), ["local/team.x", "team/x"]);
  assert.equal(
    Object.keys(await directory.picture(root)).filter((path) => path.startsWith("actions/")).length,
    2,
  );
});

test("a folder in another Unicode normal form is the same id, and stays unsaid", async () => {
  const path = "skills/cafe\u0301/SKILL.md";
  const { local, only, text } = await opened({ [path]: "---\nname: x\n---\n" });
  assert.equal((await only("skills")).id, "local/caf\u00e9");
  await local.writeServerId({ kind: "skills", id: "local/caf\u00e9", serverId: "res_1" });
  assert.equal(await text(path), "---\nname: x\nmetadata:\n  server_id: res_1\n---\n");
});

test("metadata that says nothing yet takes the server's id, beside its comment", async () => {
  const { local, text } = await opened({
    "actions/a.yaml": "id: local/a\nmetadata: # none yet\nversion: '1'\n",
    "skills/b/SKILL.md": "---\nname: b\nmetadata:\n---\n",
    "tools/c.yaml": "name: c\n_meta: { id: local/c, version: '1' } # one line\nmetadata: ~\n",
  });
  for (const [kind, id] of [
    ["actions", "local/a"],
    ["skills", "local/b"],
    ["tools", "local/c"],
  ] as const) {
    assert.equal(await local.writeServerId({ kind, id, serverId: "res_1" }), "written");
  }
  assert.match(await text("actions/a.yaml"), /^metadata:.*\n? *server_id: res_1/m);
  assert.match(await text("actions/a.yaml"), /# none yet/);
  assert.equal(await text("skills/b/SKILL.md"), "---\nname: b\nmetadata:\n  server_id: res_1\n---\n");
  const flow = "{ id: local/c, version: '1', server_id: res_1 }";
  assert.match(
    (await text("tools/c.yaml")).replaceAll('"', "'"),
    new RegExp(`^_meta: ${flow} # one line$`, "m"),
  );
});

test("a file that comes into the place of a pulled item meanwhile is left alone", async () => {
  const { local, root, text } = await opened({});
  await local.read(["actions"]);
  const file = "id: local/a\nversion: '1'\n";
  await directory.put(root, { "actions/a.yaml": file, "actions/b.yaml": "[" });
  const write = { kind: "actions", serverId: "res_1", expectedSha256: undefined, keepCopy: false } as const;
  const item = (id: string) => ({ id, name: "n", version: "2", metadata: {} });
  assert.equal(await local.write({ ...write, item: item("local/a") }), "changed");
  assert.equal(await local.write({ ...write, item: item("local/b") }), "written");
  assert.deepEqual([await text("actions/a.yaml"), await text("actions/b.yaml")], [file, "["]);
});

test("what a file cannot say is refused, and the file stays as it is", async () => {
  const file = "---\nname: a\n---\n# A\n";
  const { local, only, text } = await opened({ "skills/a/SKILL.md": file });
  const item = await only("skills");
  const change = { kind: "skills", serverId: "res_1", expectedSha256: itemContentSha256(item) } as const;
  const refused = local.write({ ...change, item: { ...item, instructions: 3 }, keepCopy: false });
  await assert.rejects(refused, /cannot hold this skill/);
  assert.equal(await text("skills/a/SKILL.md"), file);
});

test("an item is found again where people moved it", async () => {
  const { local, root } = await opened({ "actions/a.yaml": "id: local/a\nversion: '1'\n" });
  await local.read(["actions"]);
  await rename(join(root, "actions/a.yaml"), join(root, "actions/b.yaml"));
  assert.equal((await local.load({ kind: "actions", id: "local/a" }))?.entry.place, "actions/b.yaml");
});

test("bases are kept by server; a damaged file is told, taken as lost, and set aside by the next save", async () => {
  const root = await directory.make();
  const told: string[] = [];
  const store = (url: string) => fileSyncBaseStore({ root, url, onDamaged: (message) => told.push(message) });
  const change = { kind: "tools", id: "local/a", base: { base: { kind: "absent" }, intents: [] } } as const;
  await store("https://one.example").save([change]);
  await store("https://two.example/").save([{ ...change, id: "local/b" }]);
  assert.deepEqual(await store("https://one.example/").load(), [change]);
  assert.deepEqual(
    (await store("https://two.example").load()).map(({ id }) => id),
    ["local/b"],
  );
  await directory.put(root, { ".planledger/sync.json": '{"v":1,"servers":{' });
  const damaged = store("https://one.example");
  assert.deepEqual(await damaged.load(), []);
  assert.match(told[0] ?? "", /sync\.json is damaged/);
  await damaged.save([change]);
  assert.deepEqual(await store("https://one.example").load(), [change]);
  assert.equal((await directory.picture(root))[".planledger/sync.json.damaged"], '{"v":1,"servers":{');
});
