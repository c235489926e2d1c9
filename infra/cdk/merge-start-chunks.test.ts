import assert from "node:assert/strict";
import { mkdtemp, readdir, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import { pathToFileURL } from "node:url";
import { bundleFunction } from "./bundle-function.ts";

const directory = await mkdtemp(join(tmpdir(), "planledger-merged-"));
after(() => rm(directory, { recursive: true, force: true }));

const load = async (path: string): Promise<Readonly<Record<string, unknown>>> =>
  import(pathToFileURL(join(directory, path)).href);

test("a bundle's start code is one module, and late chunks share what it has: the same values, none missing", async () => {
  await bundleFunction("functions/execute/worker.ts", directory);
  const start = await readFile(join(directory, "index.mjs"), "utf8");
  assert.deepEqual(
    [...start.matchAll(/(?:from|import)"(\.[^"]+)"/g)].map(([, path]) => path),
    [],
  );
  const index = await load("index.mjs");
  assert.equal(typeof index.handler, "function");
  assert.equal(typeof index.createHandler, "function");

  const chunks = (await readdir(join(directory, "chunks"))).filter((name) => name.endsWith(".mjs"));
  let stubs = 0;
  for (const name of chunks) {
    const text = await readFile(join(directory, "chunks", name), "utf8");
    const chunk = await load(join("chunks", name));
    for (const [, from] of text.matchAll(/from"(\.[^"]+)"/g)) {
      assert.ok(from === "../index.mjs" || chunks.includes((from ?? "").slice(2)), `${name} imports ${from}`);
    }
    if (!/^export\{[^}]*\}from"\.\.\/index\.mjs";\s*$/.test(text)) continue;
    stubs += 1;
    for (const [, merged = "", shared = ""] of text.matchAll(/(shared\d+_\S+?) as (\S+?)[,}]/g)) {
      assert.ok(merged in index, `${name}: ${merged} is not there`);
      assert.equal(chunk[shared], index[merged]);
    }
  }
  assert.ok(stubs > 0 && chunks.length > stubs, `${stubs} stubs of ${chunks.length} chunks`);
  for (const [, path = ""] of start.matchAll(/import\("(\.[^"]+)"\)/g)) {
    assert.ok(chunks.includes(path.replace("./chunks/", "")), `${path} is imported late, and is not there`);
  }
});
