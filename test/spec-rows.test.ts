import assert from "node:assert/strict";
import { glob, readFile } from "node:fs/promises";
import { test } from "node:test";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("..", import.meta.url));
const sources = "{lib,functions,infra,cli,test,features}/**/*.{test,contract,testkit}.ts";

async function texts(pattern: string): Promise<readonly string[]> {
  const found: string[] = [];
  for await (const path of glob(pattern, { cwd: root, exclude: (name) => name === "node_modules" })) {
    found.push(await readFile(`${root}/${path}`, "utf8"));
  }
  return found;
}

/** Tags of each scenario, those of its feature and of its examples included. */
function scenarioTags(feature: string): readonly string[] {
  const tagged = feature.match(/^[ \t]*@.*\n[ \t]*(?:Scenario|Feature|Examples)/gm) ?? [];
  return tagged.flatMap((block) => block.match(/@\w+/g) ?? []);
}

/** The name of every test in a source file. */
function testNames(source: string): readonly string[] {
  return [...source.matchAll(/\b(?:test|it|describe)\(\s*(["'`])(.*?)\1/gs)].map(([, , name]) => name ?? "");
}

const numbered = (letter: string, ranges: readonly (readonly [number, number])[]) =>
  ranges.flatMap(([from, to]) =>
    Array.from({ length: to - from + 1 }, (_, index) => `${letter}${from + index}`),
  );

test("every behaviour of the runtime, R1 to R34, has a scenario that is tagged with it", async () => {
  const tags = new Set((await texts("features/**/*.feature")).flatMap(scenarioTags));
  const missing = numbered("R", [[1, 34]]).filter((row) => !tags.has(`@${row}`));
  assert.deepEqual(missing, []);
});

test("every behaviour of syncs, S1 to S18, has a scenario that is tagged with it", async () => {
  const tags = new Set((await texts("features/**/*.feature")).flatMap(scenarioTags));
  const missing = numbered("S", [[1, 18]]).filter((row) => !tags.has(`@${row}`));
  assert.deepEqual(missing, []);
});

test("every reported fault that is guarded against is named by a scenario or a test", async () => {
  const tags = (await texts("features/**/*.feature")).flatMap(scenarioTags);
  const names = (await texts(sources)).flatMap(testNames);
  const named = new Set([...tags, ...names].flatMap((name) => name.match(/\bF\d+\b/g) ?? []));
  const rows = numbered("F", [
    [1, 11],
    [13, 18],
    [19, 20],
    [22, 26],
  ]);
  assert.deepEqual(
    rows.filter((row) => !named.has(row)),
    [],
  );
});
