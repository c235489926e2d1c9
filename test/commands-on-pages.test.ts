import assert from "node:assert/strict";
import { globSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";
import packageJson from "../package.json" with { type: "json" };

const root = join(import.meta.dirname, "..");
const pages = globSync("{*.md,docs/**/*.md,examples/**/*.md}", { cwd: root });
assert.ok(pages.includes("docs/reference/events.md"));

test("what deploying.md has run installs what it needs, whatever was run before", async () => {
  const page = await readFile(join(root, "docs", "reference", "deploying.md"), "utf8");
  const named = new Set([...page.matchAll(/npm run ([a-z:]+)/g)].map(([, name = ""]) => name));
  assert.ok(named.has("deploy:token"));
  const scripts: Readonly<Record<string, string>> = packageJson.scripts;
  for (const name of named) {
    assert.equal(scripts[`pre${name}`], "node scripts/ensure-installed.cjs", name);
  }
});

test("pages have npm print nothing of its own where they keep what a script prints", async () => {
  for (const page of pages) {
    const written = await readFile(join(root, page), "utf8");
    for (const [command] of written.matchAll(/npm run [^`\n]*(?: > |\$\(npm run )[^`\n]*/g)) {
      assert.match(command, /npm run (?:--silent|-s) /, page);
    }
  }
});

test("README.md gives each plan an id of its own, so that all of it can be followed on one service", async () => {
  const ids = [...(await readFile(join(root, "README.md"), "utf8")).matchAll(/plan execute .* --id (\S+)/g)];
  assert.ok(ids.length > 1);
  assert.equal(new Set(ids.map(([, id]) => id)).size, ids.length);
});

test("README.md lists every page of docs/reference once", async () => {
  const readme = await readFile(join(root, "README.md"), "utf8");
  const row = readme.split("\n").find((line) => line.startsWith("| `docs/reference/` |")) ?? "";
  const listed = [...row.matchAll(/\]\((docs\/reference\/\w[\w-]*\.md)\)/g)].map(([, page]) => page);
  assert.deepEqual(listed.sort(), pages.filter((page) => page.startsWith("docs/reference/")).sort());
});

test("npx has nothing to say of a Node that README.md lets start the command", async () => {
  assert.match(await readFile(join(root, "README.md"), "utf8"), /Node 20 or newer/);
  assert.match(await readFile(join(root, ".npmrc"), "utf8"), /^loglevel=error$/m);
});

test("pages start the scripts of a checkout with the Node that it brings", async () => {
  for (const page of pages) {
    const written = await readFile(join(root, page), "utf8");
    for (const [line] of written.matchAll(/^.*\bnode \S+\.ts\b.*$/gm)) {
      assert.match(line, /npx node \S+\.ts/, `${page}: ${line}`);
    }
  }
});
