import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { contentState } from "../content/content-state.ts";
import type { Directory } from "../tree/directory.ts";
import { directoryRef } from "../tree/directory-ref.ts";
import { propertyRuns } from "../tree/property-runs.testkit.ts";
import { treeDirectories } from "./tree-directories.ts";
import { uploadBundles } from "./upload-bundles.ts";

interface Sent {
  readonly sha256: string;
  readonly sizeBytes: number;
}

const limits = { bytes: 400, items: 12 };
const wireBytes = ({ entries }: Directory) => 10 * entries.length;
const encodedBytes = ({ sizeBytes }: Sent) => 4 * Math.ceil(sizeBytes / 3) + 3;

async function bundled(files: Readonly<Record<string, string>>, known: ReadonlySet<string> = new Set()) {
  const states = Object.entries(files).map(([path, text]) => {
    return { path, file: contentState(Buffer.from(text), "100644") };
  });
  const { directories } = await treeDirectories(states);
  const contents = new Map<string, Sent>(
    states.filter(({ file }) => !known.has(file.sha256)).map(({ file }) => [file.sha256, file]),
  );
  return { directories, contents, order: uploadBundles({ directories, contents, wireBytes, limits }) };
}

/** Plays the order against a service that has what is known and takes a directory only when all that it names is there. */
function checkOrder({ directories, contents, order }: Awaited<ReturnType<typeof bundled>>): void {
  const { bundles, behind } = order;
  assert.deepEqual(
    bundles.flatMap((bundle) => bundle.contents.map(({ sha256 }) => sha256)).toSorted(),
    [...contents.keys()].toSorted(),
  );
  const sent = [...bundles.flatMap((bundle) => bundle.directories), ...behind];
  assert.deepEqual(new Set(sent), new Set(directories));
  assert.equal(sent.length, directories.length);
  const isNew = new Set(directories.map((directory) => directoryRef(directory).sha256));
  for (const bundle of bundles) {
    const here = new Set(bundle.contents.map(({ sha256 }) => sha256));
    let bytes = bundle.contents.reduce((total, content) => total + encodedBytes(content), 0);
    let items = here.size;
    for (const { entries } of bundle.directories) {
      bytes += wireBytes({ entries });
      items += 1;
      for (const entry of entries) {
        if (entry.kind === "directory") assert.ok(!isNew.has(entry.directory.sha256));
        else if (contents.has(entry.file.sha256)) assert.ok(here.has(entry.file.sha256));
        else items += 1;
      }
    }
    const alone = bundle.contents.length === 1 && bundle.directories.length === 0;
    assert.ok(alone || (bytes <= limits.bytes && items <= limits.items), `${bytes} bytes, ${items} items`);
  }
  const there = new Set(
    bundles.flatMap((bundle) => bundle.directories.map((one) => directoryRef(one).sha256)),
  );
  for (const directory of behind) {
    for (const entry of directory.entries) {
      if (entry.kind === "directory") assert.ok(there.has(entry.directory.sha256));
    }
    there.add(directoryRef(directory).sha256);
  }
}

test("a directory travels with its own new files, several to a bundle, and those that name new ones follow behind", async () => {
  const found = await bundled({ "a/1": "one", "a/2": "two", "b/1": "three", "c/d/1": "four", "5": "five" });
  const { bundles, behind } = found.order;
  assert.deepEqual(
    bundles.map((bundle) => [bundle.contents.length, bundle.directories.length]),
    [[5, 3]],
  );
  // `c` and the root.
  assert.equal(behind.length, 2);
  checkOrder(found);
});

test("what the service would have to look for counts, so that a request is done in its time", async () => {
  const names = Array.from({ length: 4 }, (_, directory) =>
    Array.from({ length: 5 }, (_, file) => `d${directory}/f${file}`),
  ).flat();
  const files = Object.fromEntries(names.map((name) => [name, name]));
  const isChanged = (name: string) => name.endsWith("f0");
  const known = new Set(
    names.filter((name) => !isChanged(name)).map((name) => contentState(Buffer.from(name), "100644").sha256),
  );
  const found = await bundled(files, known);
  // A directory stores one content and itself, and looks for four.
  assert.deepEqual(
    found.order.bundles.map((bundle) => bundle.directories.length),
    [2, 2],
  );
  checkOrder(found);
});

test("of any tree all that is new goes once, within the limits, and never before what it names", async () => {
  const name = fc.constantFrom("a", "b", "c", "d");
  const path = fc
    .array(name, { minLength: 1, maxLength: 3 })
    .map((parts) => `${parts.slice(0, -1).join("/")}/${parts.at(-1)}.txt`.replace(/^\//, ""));
  const text = fc.oneof(
    fc.constantFrom("same", "also the same"),
    fc.string({ maxLength: 60 }),
    fc.constant("x".repeat(500)),
  );
  const files = fc.dictionary(path, text, { minKeys: 1, maxKeys: 40 });
  await fc.assert(
    fc.asyncProperty(files, fc.array(fc.nat(50), { maxLength: 20 }), async (tree, indices) => {
      const texts = Object.values(tree);
      const known = indices.flatMap((index) => {
        const one = texts[index];
        return one === undefined ? [] : [contentState(Buffer.from(one), "100644").sha256];
      });
      checkOrder(await bundled(tree, new Set(known)));
    }),
    { numRuns: propertyRuns(300) },
  );
});
