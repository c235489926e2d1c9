import { join } from "node:path";
import { type BuildOptions, type BuildResult, build } from "esbuild";
import { forLambdaAlone } from "./for-lambda-alone.ts";
import { requiredBuiltins } from "./required-builtins.ts";
import { zodOfItsOwn } from "./zod-of-its-own.ts";

const root = join(import.meta.dirname, "../..");

/**
 * How a function's code is bundled: ECMAScript modules for Node 24, minified, what is imported lazily in chunks of its own,
 * the SDK included. `index.mjs` is what the function loads at start, with the chunks that it imports statically.
 */
export const bundleOptions = (entry: string): BuildOptions => ({
  absWorkingDir: root,
  entryPoints: { index: entry },
  bundle: true,
  platform: "node",
  target: "node24",
  format: "esm",
  splitting: true,
  minify: true,
  sourcemap: "linked",
  sourcesContent: false,
  mainFields: ["module", "main"],
  outExtension: { ".js": ".mjs" },
  chunkNames: "chunks/[name]-[hash]",
  legalComments: "none",
  banner: {
    js: 'import{createRequire as planledgerRequire}from"node:module";const require=planledgerRequire(import.meta.url);',
  },
  plugins: [requiredBuiltins, forLambdaAlone, zodOfItsOwn],
  metafile: true,
  logLevel: "warning",
});

/** Bundles one function's entry (relative to the repository) into a directory. */
export const bundleFunction = (entry: string, directory: string): Promise<BuildResult> =>
  build({ ...bundleOptions(entry), outdir: directory });
