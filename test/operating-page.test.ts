import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { topology } from "#infra/topology.ts";

const root = fileURLToPath(new URL("..", import.meta.url));
const page = await readFile(join(root, "docs", "reference", "operating.md"), "utf8");

test("operating.md says of every dead-letter queue what to do, and names no other", () => {
  const [, below = ""] = page.split("\n## Dead letters\n");
  const [section = ""] = below.split("\n## ");
  const named = [...section.matchAll(/^\| `([^`]+)`/gm)].map(([, name = ""]) => name);
  const queues = Object.values(topology.queues).flatMap(({ deadLetter }) => deadLetter?.queue ?? []);
  assert.deepEqual(named.sort(), queues.sort());
});
