import { join } from "node:path";
import { type BuildOptions, type BuildResult, build } from "esbuild";
import { forLambdaAlone } from "./for-lambda-alone.ts";
import { mergeStartChunks } from "./merge-start-chunks.ts";
import { requiredBuiltins } from "./required-builtins.ts";
import { zodOfItsOwn } from "./zod-of-its-own.ts";

const root = join(import.meta.dirname, "../..");

/** How modules are written, by each pass. */
const moduleOptions = {
  bundle: true,
  platform: "node",
  target: "node24",
  format: "esm",
  minify: true,
  sourcemap: "linked",
  sourcesContent: false,
  legalComments: "none",
  logLevel: "warning",
} as const satisfies BuildOptions;

/**
 * How a function's code is bundled: ECMAScript modules for Node 24, minified, what is imported lazily in chunks of its own,
 * the SDK included. `index.mjs` is what the function loads at start, with the chunks that it imports statically.
 */
export const bundleOptions = (entry: string): BuildOptions => ({
  ...moduleOptions,
  absWorkingDir: root,
  entryPoints: { index: entry },
  splitting: true,
  mainFields: ["module", "main"],
  outExtension: { ".js": ".mjs" },
  chunkNames: "chunks/[name]-[hash]",
  banner: {
    js: 'import{createRequire as planledgerRequire}from"node:module";const require=planledgerRequire(import.meta.url);',
  },
  plugins: [requiredBuiltins, forLambdaAlone, zodOfItsOwn],
  metafile: true,
});

/** Bundles one function's entry (relative to the repository) into a directory. The metafile tells of the parts before they were merged. */
export async function bundleFunction(entry: string, directory: string): Promise<BuildResult> {
  const built = await build({ ...bundleOptions(entry), metafile: true, outdir: directory });
  const { outputs } = built.metafile;
  await mergeStartChunks(directory, { outputs, root, options: moduleOptions });
  return built;
}
