import assert from "node:assert/strict";
import { test } from "node:test";
import { ValidationError } from "../errors/planledger-error.ts";
import type { ToolRequest } from "../tools/tool-runner.ts";
import { storeFileTree } from "../tree/file-tree.testkit.ts";
import { derivePartial } from "./derive-partial.ts";
import {
  type FinalDecision,
  memoryStores,
  type PlannedDecision,
  runDecisions,
} from "./landed-decisions.testkit.ts";

const write = (path: string, content = "x\n"): ToolRequest => ({
  tool: "write_file",
  input: { path, content },
});
const remove = (path: string): ToolRequest => ({ tool: "delete_file", input: { path, recursive: true } });
const info = (path: string): ToolRequest => ({ tool: "get_file_info", input: { path } });
const list = (path: string): ToolRequest => ({ tool: "list_directory", input: { path } });
const search = (path: string): ToolRequest => ({ tool: "search_files", input: { path, pattern: "**" } });
const read = (path: string): ToolRequest => ({ tool: "read_text_file", input: { path } });

/** A decision's id, its calls, and what it depends on. */
type Step = readonly [id: string, calls: readonly ToolRequest[], dependsOn?: readonly string[]];

async function partialOf(files: readonly string[], steps: readonly Step[], only: readonly string[]) {
  const stores = memoryStores();
  const tree = new Map(
    files.map((path) => [path, { mode: "100644" as const, bytes: Buffer.from("base\n") }]),
  );
  const root = (await storeFileTree(stores, tree)).sha256;
  const decisions: readonly PlannedDecision[] = steps.map(([id, toolCalls, dependsOn = []]) => ({
    id,
    toolCalls,
    dependsOn,
  }));
  const final = await runDecisions(stores, root, { decisions });
  const derive = (records: readonly FinalDecision[] = final) =>
    derivePartial({
      planId: "p",
      of: "0".repeat(64),
      decisions: records,
      dependsOn: new Map(decisions.map(({ id, dependsOn }) => [id, dependsOn])),
      only,
      base: { resource: "app", tree: root },
      trees: stores.trees,
    });
  return { final, derive };
}

async function addedTo(files: readonly string[], steps: readonly Step[], only: readonly string[]) {
  const { final, derive } = await partialOf(files, steps, only);
  assert.deepEqual(
    final.filter(({ outcome }) => outcome.status !== "landed").map(({ outcome }) => outcome),
    [],
  );
  const { added } = await derive();
  return added.map(({ decisionId, neededBy, because }) => [
    decisionId,
    neededBy,
    because.kind === "path" ? because.path : because.kind,
  ]);
}

test("a partial apply takes what its decisions depend on and who wrote before them, says why, and leaves the rest", async () => {
  const steps: Step[] = [
    ["root", [write("unread")]],
    ["first", [write("src/a", "1\n")]],
    ["other", [write("src/b")]],
    ["second", [write("src/a", "2\n")]],
    ["setup", [write("docs/x")], ["root"]],
    ["last", [read("src/a"), write("out")], ["setup"]],
    ["later", [write("src/a", "3\n")]],
  ];
  const { derive } = await partialOf(["src/base", "docs/base"], steps, ["last"]);
  const partial = await derive();
  assert.deepEqual(partial.added, [
    { decisionId: "root", neededBy: "setup", because: { kind: "depends_on" } },
    { decisionId: "first", neededBy: "second", because: { kind: "path", resource: "app", path: "src/a" } },
    { decisionId: "second", neededBy: "last", because: { kind: "path", resource: "app", path: "src/a" } },
    { decisionId: "setup", neededBy: "last", because: { kind: "depends_on" } },
  ]);
  assert.deepEqual(partial.only, ["last"]);
  assert.deepEqual(
    partial.entries.map(({ decisionId, path }) => [decisionId, path]),
    [
      ["root", "unread"],
      ["first", "src/a"],
      ["second", "src/a"],
      ["setup", "docs/x"],
      ["last", "out"],
    ],
  );
});

test("of those that wrote into a new directory, a look at it needs the one that made it", async () => {
  const steps: Step[] = [
    ["made", [write("new/x")]],
    ["joined", [write("new/y")]],
    ["looked", [info("new"), write("out")]],
  ];
  assert.deepEqual(await addedTo([], steps, ["looked"]), [["made", "looked", "new"]]);
  assert.deepEqual(await addedTo(["new/base"], steps, ["looked"]), []);
});

test("a directory that only a decision left out keeps standing brings that decision in", async () => {
  const steps: Step[] = [
    ["kept", [write("a/y")]],
    ["emptied", [remove("a/x")]],
    ["looked", [info("a"), write("a/x", "new\n")]],
  ];
  assert.deepEqual(await addedTo(["a/x"], steps, ["looked"]), [
    ["kept", "looked", "a"],
    ["emptied", "looked", "a/x"],
  ]);
  assert.deepEqual(await addedTo(["a/x", "a/z"], steps, ["looked"]), [["emptied", "looked", "a/x"]]);
});

test("an absence needs those that removed what stood below", async () => {
  const took: Step[] = [
    ["removed", [remove("a")]],
    ["took", [write("a", "a file now\n")]],
  ];
  assert.deepEqual(await addedTo(["a/x", "a/y", "b"], took, ["took"]), [["removed", "took", "a/x"]]);
  const makes: ToolRequest = { tool: "create_directory", input: { path: "a" } };
  const looked: Step[] = [
    ["first", [remove("a/y")]],
    ["second", [remove("a/x")]],
    ["looked", [makes, write("out")]],
  ];
  assert.deepEqual(await addedTo(["a/x", "a/y"], looked, ["looked"]), [
    ["first", "looked", "a"],
    ["second", "looked", "a"],
  ]);
});

test("names need what came and went, files changed in place not, and directories only as far as they stand", async () => {
  const looked: Step = ["looked", [list("d"), write("out")]];
  const base = ["d/e/f", "d/g", "d/h"];
  const added = (step: readonly ToolRequest[]) => addedTo(base, [["before", step], looked], ["looked"]);
  assert.deepEqual(await added([write("d/g")]), []);
  assert.deepEqual(await added([write("d/e/more")]), []);
  assert.deepEqual(await added([write("d/new")]), [["before", "looked", "d/new"]]);
  assert.deepEqual(await added([remove("d/h")]), [["before", "looked", "d/h"]]);
  assert.deepEqual(await added([remove("d/e")]), [["before", "looked", "d/e"]]);
  assert.deepEqual(await added([write("d/deep/er/x")]), [["before", "looked", "d/deep"]]);
});

test("a search needs everything that was written below it, and nothing beside it", async () => {
  const steps: Step[] = [
    ["inside", [write("d/e/f", "changed\n")]],
    ["beside", [write("c/x")]],
    ["looked", [search("d"), write("out")]],
  ];
  assert.deepEqual(await addedTo(["d/e/f", "c/base"], steps, ["looked"]), [["inside", "looked", "d/e/f"]]);
});

test("a write below a path needs those that changed what stands above it", async () => {
  const steps: Step[] = [
    ["freed", [remove("a")]],
    ["below", [write("a/b")]],
  ];
  assert.deepEqual(await addedTo(["a"], steps, ["below"]), [["freed", "below", "a"]]);
});

test("an entry without any record of a read needs those that wrote its path, above it and below it", async () => {
  const addedUnread = async (files: readonly string[], steps: readonly Step[]) => {
    const { final, derive } = await partialOf(files, steps, ["last"]);
    const { added } = await derive(final.map((record) => ({ ...record, reads: [] })));
    return added.map(({ decisionId }) => decisionId);
  };
  const last = (path: string): Step => ["last", [write(path)]];
  assert.deepEqual(await addedUnread(["a"], [["same", [write("a", "1\n")]], last("a")]), ["same"]);
  assert.deepEqual(await addedUnread(["a/x"], [["below", [remove("a/x")]], last("a")]), ["below"]);
  assert.deepEqual(await addedUnread(["a"], [["above", [remove("a")]], last("a/x")]), ["above"]);
});

test("ids that the plan does not have, or that did not land, are refused by the field that names them", async () => {
  const steps: Step[] = [
    ["good", [write("a")]],
    ["bad", [read("nowhere")]],
    ["behind", [write("b")], ["bad"]],
  ];
  const refusal = async (only: readonly string[]) => {
    const { derive } = await partialOf([], steps, only);
    const error = await derive().catch((thrown: unknown) => thrown);
    assert.ok(error instanceof ValidationError);
    return [error.field, error.message] as const;
  };
  assert.deepEqual(await refusal([]), ["/only", "/only names no decision. Name at least one that landed."]);
  const [unknownField, unknown] = await refusal(["good", "nope"]);
  assert.equal(unknownField, "/only/1");
  assert.match(unknown, /"nope", which this plan does not have/);
  const [failedField, failed] = await refusal(["bad"]);
  assert.equal(failedField, "/only/0");
  assert.match(failed, /bad, which did not land \(failed\)/);
  assert.match((await refusal(["good", "behind"]))[1], /behind, which did not land \(skipped\)/);
});

test("entries that do not chain are never handed out", async () => {
  const steps: Step[] = [
    ["one", [write("a", "1\n")]],
    ["two", [write("a", "2\n")]],
  ];
  const { final, derive } = await partialOf(["a"], steps, ["two"]);
  const broken = final.map((record) =>
    record.decisionId === "one"
      ? {
          ...record,
          entries: record.entries.map((entry) => ({ ...entry, after: null, kind: "delete" as const })),
        }
      : record,
  );
  await assert.rejects(derive(broken), { code: "internal", message: /"a" do not chain/ });
});
