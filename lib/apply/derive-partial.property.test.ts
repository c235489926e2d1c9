import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import type { Tool } from "../tools/tool.ts";
import type { ToolRequest } from "../tools/tool-runner.ts";
import { type FileTree, storeFileTree, withFile } from "../tree/file-tree.testkit.ts";
import { propertyRuns } from "../tree/property-runs.testkit.ts";
import { applyToTree } from "./apply-to-tree.ts";
import { derivePartial } from "./derive-partial.ts";
import { memoryStores, type PlannedDecision, runDecisions } from "./landed-decisions.testkit.ts";
import { netEntries } from "./net-entries.ts";

/** Tools that write what they read, so that a read that is not the same makes other entries. */
const readingTools: readonly Tool[] = [
  reading("write_names", async (workspace, path) =>
    (await workspace.list(path)).map(({ name, kind }) => `${kind} ${name}`).join("\n"),
  ),
  reading("write_walk", async (workspace, path) => JSON.stringify([...(await workspace.walk(path))])),
  reading("write_info", async (workspace, path) => JSON.stringify((await workspace.info(path)) ?? null)),
];

function reading(
  name: string,
  read: (workspace: ReturnType<Parameters<Tool["run"]>[1]["workspace"]>, path: string) => Promise<string>,
): Tool {
  return {
    name,
    description: name,
    effect: "workspace",
    inputSchema: {
      type: "object",
      properties: { path: { type: "string" }, into: { type: "string" } },
      required: ["path", "into"],
    },
    async run(input, { workspace }) {
      const app = workspace();
      const text = await read(app, String(input.path));
      await app.writeFile(String(input.into), Buffer.from(text));
      return { output: text };
    },
  };
}

const paths = ["a", "a/b", "a/b/c", "a/d", "b", "b/c", "d/e/f", "d/e/g", "d/h", "i"];
const path = fc.constantFrom(...paths);
const directory = fc.constantFrom("", "a", "a/b", "b", "d", "d/e", "new");
const text = fc.constantFrom("one\n", "two\n", "three");
const call = (tool: string, input: Record<string, fc.Arbitrary<unknown>>): fc.Arbitrary<ToolRequest> =>
  fc.record({ tool: fc.constant(tool), input: fc.record(input) });
const toolCall: fc.Arbitrary<ToolRequest> = fc.oneof(
  {
    weight: 5,
    arbitrary: call("write_file", {
      path: fc.oneof(path, fc.constantFrom("new/x", "new/y", "new/z/x")),
      content: text,
    }),
  },
  {
    weight: 3,
    arbitrary: call("delete_file", {
      path: fc.oneof(
        path,
        directory.filter((one) => one !== ""),
      ),
      recursive: fc.boolean(),
    }),
  },
  { weight: 3, arbitrary: call("move_file", { source: path, destination: path }) },
  call("move_file", {
    source: directory.filter((one) => one !== ""),
    destination: fc.constantFrom("moved", "d/moved"),
  }),
  call("edit_file", { path, edits: fc.constant([{ oldText: "o", newText: "oo" }]) }),
  call("set_file_mode", { path, mode: fc.constantFrom("100644", "100755") }),
  call("create_symlink", { path, target: fc.constant("i") }),
  call("create_directory", {
    path: fc.oneof(
      path,
      directory.filter((one) => one !== ""),
    ),
  }),
  call("write_names", { path: directory, into: fc.constantFrom("out", "a/out", "new/out") }),
  call("write_walk", { path: directory, into: fc.constantFrom("out", "d/out") }),
  call("write_info", { path: fc.oneof(path, directory), into: fc.constantFrom("out", "a/out") }),
);

const base: fc.Arbitrary<FileTree> = fc
  .array(fc.tuple(path, text), { maxLength: 6 })
  .map((files) =>
    files.reduce<FileTree>(
      (tree, [at, content]) => withFile(tree, at, { mode: "100644", bytes: Buffer.from(content) }),
      new Map(),
    ),
  );

const plan: fc.Arbitrary<readonly PlannedDecision[]> = fc
  .array(
    fc.record({
      toolCalls: fc.oneof(
        { weight: 3, arbitrary: toolCall.map((one) => [one]) },
        fc.tuple(toolCall, toolCall),
      ),
      dependsOn: fc.option(fc.nat(20), { freq: 6 }),
    }),
    { minLength: 2, maxLength: 24, size: "max" },
  )
  .map((decisions) =>
    decisions.map(({ toolCalls, dependsOn }, index) => ({
      id: `d${index}`,
      dependsOn: dependsOn === null || index === 0 ? [] : [`d${dependsOn % index}`],
      toolCalls,
    })),
  );

test("chosen decisions with their closure, run alone from the base, make the very same entries", async () => {
  let left = 0;
  let all = 0;
  await fc.assert(
    fc.asyncProperty(
      base,
      plan,
      fc.array(fc.nat(20), { minLength: 1, maxLength: 3 }),
      async (tree, decisions, picks) => {
        const stores = memoryStores();
        const root = (await storeFileTree(stores, tree)).sha256;
        const final = await runDecisions(stores, root, { decisions, tools: readingTools });
        const landed = final.filter(({ outcome }) => outcome.status === "landed");
        fc.pre(landed.length > 0);
        const only = [...new Set(picks.map((pick) => landed[pick % landed.length]?.decisionId ?? ""))];
        const dependsOn = new Map(decisions.map((decision) => [decision.id, decision.dependsOn]));
        const partial = await derivePartial({
          planId: "p",
          of: "0".repeat(64),
          decisions: final,
          dependsOn,
          only,
          base: { resource: "app", tree: root },
          trees: stores.trees,
        });

        const ids = new Set([...partial.only, ...partial.added.map(({ decisionId }) => decisionId)]);
        for (const { decisionId, neededBy, because } of partial.added) {
          assert.ok(ids.has(neededBy) && !only.includes(decisionId));
          if (because.kind === "depends_on") assert.ok(dependsOn.get(neededBy)?.includes(decisionId));
          else {
            const touched = final
              .find((one) => one.decisionId === decisionId)
              ?.entries.map((entry) => entry.path);
            assert.ok(touched?.some((at) => at === because.path || at.startsWith(`${because.path}/`)));
          }
        }
        assert.deepEqual([...partial.only].sort(), [...only].sort());

        const alone = await runDecisions(stores, root, {
          decisions: decisions.filter(({ id }) => ids.has(id)),
          tools: readingTools,
        });
        assert.ok(
          alone.every(({ outcome }) => outcome.status === "landed"),
          "all of them land",
        );
        assert.deepEqual(
          alone.flatMap(({ entries }) => entries),
          partial.entries,
        );
        // And what they come to fits on the base.
        await applyToTree({ trees: stores.trees, root, changes: netEntries(partial.entries, "app") });
        all += landed.length;
        left += landed.length - ids.size;
      },
    ),
    { numRuns: propertyRuns(200) },
  );
  process.stdout.write(`# ${left} of ${all} landed decisions were left out\n`);
  assert.ok(left > all / 5, `${left} of ${all} left out: the closure takes what it does not need`);
});
