import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { numberFields, textFields } from "#lib/log/log-field.ts";
import { metricUnits } from "#lib/log/metric.ts";

const root = fileURLToPath(new URL("..", import.meta.url));
const page = await readFile(join(root, "docs", "reference", "observability.md"), "utf8");

/** Every name in code in the first cells of the table below a heading. */
const named = (heading: string): readonly string[] => {
  const [, below = ""] = page.split(`\n## ${heading}\n`);
  const [section = ""] = below.split("\n## ");
  return section
    .split("\n")
    .filter((line) => line.startsWith("| `"))
    .flatMap((line) => [...(line.split(" | ")[0] ?? "").matchAll(/`([^`]+)`/g)].map(([, name = ""]) => name));
};

test("observability.md lists every metric, and no other", () => {
  assert.deepEqual([...named("Metrics")].sort(), Object.keys(metricUnits).sort());
});

test("observability.md lists every field that a log record may have, and no other", () => {
  assert.deepEqual([...named("Logs")].sort(), ["at", ...textFields, ...numberFields].sort());
});
