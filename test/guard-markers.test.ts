import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { guards } from "../scripts/guard-list.ts";

const root = fileURLToPath(new URL("..", import.meta.url));

test("every guard can be taken out: its marker stands once in its file, its test is there, and its name is its own", async () => {
  const wrong: string[] = [];
  for (const { name, file, find, test: testFile } of guards) {
    const times = (await readFile(join(root, file), "utf8")).split(find).length - 1;
    if (times !== 1) wrong.push(`${name}: its marker stands ${times} times in ${file}`);
    if (!existsSync(join(root, testFile))) wrong.push(`${name}: there is no ${testFile}`);
  }
  assert.deepEqual(wrong, []);
  assert.equal(new Set(guards.map(({ name }) => name)).size, guards.length);
});
