import assert from "node:assert/strict";
import { test } from "node:test";
import { build, type Metafile } from "esbuild";
import { bundleOptions } from "#infra/cdk/bundle-function.ts";
import { topology } from "#infra/topology.ts";

/** Minified, of what a function loads at start and of all that it may load. */
const startBudgetBytes = 400_000;
const totalBudgetBytes = 1_200_000;

/** `index.mjs` and the chunks that it imports statically, directly or through others. */
function loadedAtStart(outputs: Metafile["outputs"]): ReadonlySet<string> {
  const loaded = new Set<string>();
  const load = (path: string): void => {
    const output = outputs[path];
    if (output === undefined || loaded.has(path)) return;
    loaded.add(path);
    for (const { kind, path: imported } of output.imports) {
      if (kind === "import-statement") load(imported);
    }
  };
  const entry = Object.keys(outputs).find((path) => path.endsWith("/index.mjs"));
  assert.ok(entry !== undefined, "the bundle has an entry");
  load(entry);
  return loaded;
}

/** What weighs most, to be found at once when a budget is passed. */
function heaviest(outputs: readonly Metafile["outputs"][string][]): string {
  const weights = new Map<string, number>();
  for (const { inputs } of outputs) {
    for (const [path, { bytesInOutput }] of Object.entries(inputs)) {
      const part =
        /node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(path)?.[1] ?? path.split("/").slice(0, 2).join("/");
      weights.set(part, (weights.get(part) ?? 0) + bytesInOutput);
    }
  }
  const most = [...weights].sort(([, one], [, other]) => other - one).slice(0, 12);
  return most.map(([part, bytes]) => `${part} ${bytes}`).join(", ");
}

for (const [name, { entry }] of Object.entries(topology.functions)) {
  test(`${name} loads at most 400 KB of code at start, and 1.2 MB in all`, async () => {
    const options = { ...bundleOptions(entry), outdir: "bundle", write: false, sourcemap: false } as const;
    const { metafile } = await build({ ...options, metafile: true });
    const atStart = loadedAtStart(metafile.outputs);
    const start = Object.entries(metafile.outputs).flatMap(([path, output]) =>
      atStart.has(path) ? [output] : [],
    );
    const all = Object.values(metafile.outputs);
    const startBytes = start.reduce((sum, { bytes }) => sum + bytes, 0);
    const allBytes = all.reduce((sum, { bytes }) => sum + bytes, 0);
    assert.ok(startBytes <= startBudgetBytes, `${startBytes} bytes at start: ${heaviest(start)}`);
    const imported = all.flatMap(({ imports }) =>
      imports.flatMap(({ path, kind, external }) =>
        external === true && kind === "import-statement" ? [path] : [],
      ),
    );
    assert.deepEqual(imported, [], "Node's modules are required: see required-builtins.ts");
    assert.ok(allBytes <= totalBudgetBytes, `${allBytes} bytes in all: ${heaviest(all)}`);
  });
}
