import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";
import { App } from "aws-cdk-lib";
import { deploySettingNames, deploySettings } from "./deploy-settings.ts";

const page = await readFile(join(import.meta.dirname, "../../docs/reference/deploying.md"), "utf8");

test("the page on deploying lists every key of the context, with its default where that is a plain one", () => {
  const rows = [...page.matchAll(/^\| `(\w+)` \| (.*?) \| .+ \|$/gm)].map(
    ([, key = "", value = ""]) => [key, value] as const,
  );
  const written = new Map(rows);
  assert.deepEqual([...written.keys()].sort(), [...deploySettingNames].sort());
  const defaults: Readonly<Record<string, unknown>> = deploySettings(new App());
  for (const [key, value] of rows) {
    const standing = defaults[key];
    if (standing === undefined || typeof standing === "object") continue;
    assert.equal(value.replaceAll("`", ""), String(standing), key);
  }
});
