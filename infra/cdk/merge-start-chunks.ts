import { rm, writeFile } from "node:fs/promises";
import { dirname, join, relative, resolve } from "node:path";
import { type BuildOptions, build, type Metafile } from "esbuild";

/**
 * Makes one file of `index.mjs` and the chunks that it imports statically: what code at start and late code share lies in
 * some twenty chunks, and to load that many modules takes as long as to evaluate them. Late chunks find what they share
 * under its old name: a stub there passes on what `index.mjs` has.
 */
export async function mergeStartChunks(
  directory: string,
  built: {
    readonly outputs: Metafile["outputs"];
    /** What the paths of the outputs are relative to. */
    readonly root: string;
    /** How modules are written. */
    readonly options: BuildOptions;
  },
): Promise<void> {
  const { outputs, root, options } = built;
  const byPath = new Map(
    Object.entries(outputs)
      .filter(([path]) => path.endsWith(".mjs"))
      .map(([path, output]) => [resolve(root, path), output]),
  );
  const index = join(directory, "index.mjs");
  const importsOf = (path: string): readonly string[] =>
    (byPath.get(path)?.imports ?? [])
      .filter(({ kind, external }) => kind === "import-statement" && external !== true)
      .map((imported) => resolve(root, imported.path));
  const start = reachable(index, importsOf);
  const shared = [...byPath.keys()]
    .filter((path) => !start.has(path))
    .flatMap(importsOf)
    .filter((path) => start.has(path) && path !== index);
  const stubs = [...new Set(shared)].map((path, number) => ({
    path,
    names: (byPath.get(path)?.exports ?? []).map((name) => ({ name, merged: `shared${number}_${name}` })),
  }));
  const entry = [
    `export * from ${specifier(directory, index)};`,
    ...stubs.map(
      ({ path, names }) =>
        `export { ${names.map(({ name, merged }) => `${name} as ${merged}`).join(", ")} } from ${specifier(directory, path)};`,
    ),
  ].join("\n");
  const { outputFiles } = await build({
    stdin: { contents: entry, resolveDir: directory, loader: "js" },
    ...options,
    bundle: true,
    outfile: index,
    write: false,
    plugins: [
      {
        name: "late-chunks-stay",
        setup({ onResolve }) {
          onResolve({ filter: /^\./ }, ({ path, kind, resolveDir }) =>
            kind === "dynamic-import"
              ? { path: `./${relative(directory, join(resolveDir, path))}`, external: true }
              : undefined,
          );
        },
      },
    ],
  });
  for (const path of start) {
    await Promise.all([rm(path), rm(`${path}.map`, { force: true })]);
  }
  for (const { path, contents } of outputFiles) await writeFile(path, contents);
  for (const { path, names } of stubs) {
    const passed = names.map(({ name, merged }) => `${merged} as ${name}`).join(",");
    await writeFile(path, `export{${passed}}from${specifier(dirname(path), index)};\n`);
  }
}

const specifier = (from: string, to: string): string => {
  const path = relative(from, to);
  return JSON.stringify(path.startsWith(".") ? path : `./${path}`);
};

function reachable(from: string, next: (path: string) => readonly string[]): ReadonlySet<string> {
  const found = new Set<string>([from]);
  for (const path of found) for (const other of next(path)) found.add(other);
  return found;
}
