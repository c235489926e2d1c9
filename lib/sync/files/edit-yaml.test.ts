import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { readYaml } from "../../plan/read-yaml.ts";
import { editYaml } from "./edit-yaml.ts";

type Members = Readonly<Record<string, unknown>>;

function members(text: string): Members {
  const value: unknown = readYaml(text);
  assert.ok(typeof value === "object" && value !== null);
  return Object.fromEntries(Object.entries(value));
}

const source = `# Above everything.

id:   'local/a'     # oddly spaced, quoted
version: "1.0"
metadata: {owner: ada,   team: [ x,y ]}   # inside
settings:

    deep:  &deep   {a: 1}   # an anchor
    again: *deep
list:
- one          # not indented
-   two
text: |
  kept as
    it is

folded: >-
  a
  b
# Below everything.
`;

test("what does not change stays byte for byte: comments, order, quotes, spaces, anchors", () => {
  const before = members(source);
  assert.equal(editYaml(source, before), source);

  const noted = editYaml(source, {
    ...before,
    metadata: { owner: "ada", team: ["x", "y"], server_id: "res_1" },
  });
  assert.equal(
    noted
      .split("\n")
      .filter((line) => !line.startsWith("metadata:"))
      .join("\n"),
    source
      .split("\n")
      .filter((line) => !line.startsWith("metadata:"))
      .join("\n"),
  );
  assert.match(noted, /^metadata: \{.*server_id: res_1 ?\} {3}# inside$/m);

  assert.equal(editYaml(source, { ...before, version: "1.1" }), source.replace('"1.0"', '"1.1"'));
});

test("aliases of what changes are written out where they stand, and everything else stays", () => {
  const text = `# Ours.
id:   local/a # spaced
metadata: &about   {owner: ada}   # shared
plan:
  note:   *about   # see above
  list:
  - *about
  - &own  {b: 2}
  - *own
`;
  const before = members(text);
  const edited = editYaml(text, { ...before, metadata: { owner: "ada", server_id: "res_1" } });
  assert.equal(
    edited,
    text
      .replace("{owner: ada}", "{owner: ada, server_id: res_1}")
      .replace("*about   #", "{ owner: ada }   #")
      .replace("- *about", "- { owner: ada }"),
  );
  const block = "metadata: &m\n  owner: ada\n  # why\n  team: [x]\nother: *m # here\n";
  const noted = { owner: "ada", team: ["x"], server_id: "res_1" };
  assert.equal(
    editYaml(block, { metadata: noted, other: { owner: "ada", team: ["x"] } }),
    "metadata: &m\n  owner: ada\n  # why\n  team: [x]\n  server_id: res_1\nother: { owner: ada, team: [ x ] } # here\n",
  );
});

test("between braces a member is added and a value replaced in place, everything else stays", () => {
  const flow = `_meta: {id: local/a,version: 1.0,  # ours
  tags: [ a,b ], owner: {name: "ada"},}   # end
json: {"one":1,"two":{}}
`;
  const before = members(flow);
  const [meta, json] = [Object(before._meta), Object(before.json)];
  assert.equal(
    editYaml(flow, { ...before, _meta: { ...meta, server_id: "res_1" } }),
    flow.replace('"ada"}', '"ada"}, server_id: res_1'),
  );
  const changed = { ...meta, id: "local/a, b", owner: { name: "bob", age: 3 } };
  assert.equal(
    editYaml(flow, { ...before, _meta: changed, json: { ...json, two: 2 } }),
    flow.replace("local/a", '"local/a, b"').replace('"ada"', "bob, age: 3").replace('"two":{}', '"two":2'),
  );
});

test("a member is added behind the last one, and taken out with its line", () => {
  const added = editYaml(source, { ...members(source), more: { a: [1] } });
  assert.equal(added, source.replace("  b\n", "  b\nmore:\n  a:\n    - 1\n"));
  const { list: _, ...without } = members(source);
  assert.equal(
    editYaml(source, without),
    source.replace("list:\n- one          # not indented\n-   two\n", ""),
  );
  assert.equal(editYaml("a: 1", { a: 1, b: 2 }), "a: 1\nb: 2\n");
  assert.equal(
    editYaml("metadata: {}\n", { metadata: { server_id: "res_1" } }),
    "metadata: { server_id: res_1 }\n",
  );
  assert.equal(
    editYaml("metadata:\nid: x\n", { metadata: { server_id: "y" }, id: "x" }),
    "metadata:\n  server_id: y\nid: x\n",
  );
});

test("nested block mappings are changed where they differ only", () => {
  const text = "plan:\n    # why\n    decisions: # these\n    -   id: a # first\n    name: old # name\n";
  const wanted = { plan: { decisions: [{ id: "a" }], name: "new", more: 1 } };
  assert.equal(
    editYaml(text, wanted),
    "plan:\n    # why\n    decisions: # these\n    -   id: a # first\n    name: new # name\n    more: 1\n",
  );
});

test("an anchor whose content changes does not change what its aliases say", () => {
  const text = "# kept\na: &x\n  k: 1\nb: *x\n";
  const wanted = { a: { k: 2 }, b: { k: 1 } };
  const edited = editYaml(text, wanted);
  assert.deepEqual(readYaml(edited), wanted);
  assert.match(edited, /^# kept$/m);
  assert.deepEqual(readYaml(editYaml(text, { b: { k: 1 } })), { b: { k: 1 } });
});

test("texts that YAML could take for something else are quoted", () => {
  const wanted = {
    a: "yes: no",
    b: "1.0",
    c: "null",
    d: "# no comment",
    e: "",
    f: "- x",
    g: "a\nb\n",
    h: "*x",
  };
  assert.deepEqual(readYaml(editYaml("", wanted)), wanted);
  assert.deepEqual(readYaml(editYaml("a: 1 # c\nb: { x: 1 } # d\n", wanted)), wanted);
});

const key = fc.oneof(fc.constantFrom("id", "name", "metadata", "a b", "0", "x"), fc.string({ maxLength: 6 }));
const { value } = fc.letrec((tie) => ({
  value: fc.oneof(
    { depthSize: "small" },
    fc.string({ unit: "grapheme" }),
    fc.constantFrom("a: b", "# x", "1.0", "a\n b\n\n", "~", "'", "\t", " a ", "---", "...\n"),
    fc.integer(),
    fc.boolean(),
    fc.constant(null),
    fc.array(tie("value"), { maxLength: 3 }),
    fc.dictionary(key, tie("value"), { maxKeys: 3 }),
  ),
}));
const document = fc.dictionary(key, value, { maxKeys: 5 });

test("whatever a text says and whatever it is to say, the edited text says that", () => {
  fc.assert(
    fc.property(document, document, fc.boolean(), (before, after, mixed) => {
      const wanted = mixed ? { ...before, ...after } : after;
      const text = editYaml("", before);
      const edited = editYaml(`# above\n${text}# below\n`, wanted);
      assert.deepEqual(readYaml(edited), plain(wanted));
      assert.equal(editYaml(edited, wanted), edited);
    }),
    { numRuns: Number(process.env.PROPERTY_RUNS ?? 200) },
  );
});

test("no comment of a member that stays is lost, and lines of unchanged members are as they were", () => {
  const changes = fc.array(
    fc.record({
      key: fc.string({ unit: fc.constantFrom(..."abcdefgh"), minLength: 1, maxLength: 4 }),
      before: fc.oneof(
        fc.integer(),
        fc.constantFrom("x y", "", null),
        fc.array(fc.integer(), { maxLength: 2 }),
      ),
      after: fc.option(value, { nil: undefined }),
      changed: fc.boolean(),
    }),
    { minLength: 1, maxLength: 6 },
  );
  fc.assert(
    fc.property(changes, (list) => {
      const members = [...new Map(list.map((one) => [one.key, one])).values()];
      const lines = members.map(
        ({ key, before }, index) =>
          `# above ${index}.\n${key}:   ${before === null ? "" : JSON.stringify(before)}  # beside ${index}.\n`,
      );
      const wanted = members.flatMap(({ key, before, after, changed }) =>
        changed ? (after === undefined ? [] : [[key, plain(after)] as const]) : [[key, before] as const],
      );
      const edited = editYaml(lines.join(""), Object.fromEntries(wanted));
      assert.deepEqual(readYaml(edited) ?? {}, Object.fromEntries(wanted));
      for (const [index, { changed, after }] of members.entries()) {
        if (wanted.length === 0) continue;
        assert.ok(edited.includes(`# above ${index}.`), edited);
        if (!changed) assert.ok(edited.includes(lines[index] ?? "?"), edited);
        else if (after !== undefined) assert.ok(edited.includes(`# beside ${index}.`), edited);
      }
    }),
    { numRuns: Number(process.env.PROPERTY_RUNS ?? 200) },
  );
});

const plain = (value: unknown): unknown => JSON.parse(JSON.stringify(value));
