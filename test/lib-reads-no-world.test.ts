import assert from "node:assert/strict";
import { glob, readFile } from "node:fs/promises";
import { test } from "node:test";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("..", import.meta.url));
const world =
  /\bDate\.now\b|\bnew Date\(\s*\)|\bMath\.random\b|\bperformance\.now\b|\bprocess\.(?:env|hrtime)\b|\brandom(?:Bytes|UUID)\b|\bgetRandomValues\b|\bmonotonicFactory\b/;

/** The defaults of the public classes and of the client, for callers in process who hand in no ports of their own. */
const named = [
  "lib/client/system-ports.ts",
  "lib/runtime/random-id-source.ts",
  "lib/runtime/system-clock.ts",
];

test("nothing in lib reads clock, random or environment, but the files that are named for it", async () => {
  const readers: string[] = [];
  for await (const path of glob("lib/**/*.ts", { cwd: root })) {
    const isTest = /\.(?:test|contract|testkit)\.ts$/.test(path);
    const code = (await readFile(`${root}/${path}`, "utf8")).replace(/\/\*[\s\S]*?\*\/|^\s*\/\/.*$/gm, "");
    if (!isTest && world.test(code)) {
      readers.push(path);
    }
  }
  assert.deepEqual(readers.sort(), named);
});
