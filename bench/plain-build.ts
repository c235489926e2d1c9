import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { build, type Plugin } from "esbuild";

const root = join(import.meta.dirname, "..");

/** What classic zod has under another name, or as a method. */
const renamed: Readonly<Record<string, string>> = {
  minimum: "z.gte",
  maximum: "z.lte",
  partial: "((schema) => schema.partial())",
};

/**
 * `import { z } from "zod"`, as most code has it: the namespace object keeps all of zod in the bundle. Schemas written for
 * zod/mini do not type-check there, but they work.
 */
const classicZod: Plugin = {
  name: "classic-zod",
  setup({ onLoad }) {
    onLoad({ filter: /\.ts$/ }, async ({ path }) => {
      const source = await readFile(path, "utf8");
      const contents = source
        .replace(/import \* as z from "zod\/mini";/, 'import { z } from "zod";')
        .replace(/\bz\.(\w+)\(/g, (call, name: string) =>
          Object.hasOwn(renamed, name) ? `${renamed[name]}(` : call,
        );
      return { contents, loader: "ts" };
    });
  },
};

/**
 * Bundles an entry the way it is done without further thought: one CommonJS file, minified, esbuild's default `mainFields`,
 * classic zod. What the entry imports lazily is in the file and evaluated late. `index.cjs` in the directory.
 */
export async function plainBuild(entry: string, directory: string): Promise<string> {
  const outfile = join(directory, "index.cjs");
  await build({
    absWorkingDir: root,
    entryPoints: [entry],
    bundle: true,
    platform: "node",
    target: "node24",
    format: "cjs",
    minify: true,
    outfile,
    plugins: [classicZod],
    logLevel: "error",
  });
  return outfile;
}
