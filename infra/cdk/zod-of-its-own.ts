import { readFile } from "node:fs/promises";
import type { Plugin } from "esbuild";

const suffix = "?mcp";

/**
 * Gives the MCP client, which is loaded late, a copy of zod of its own. A module that code at start and late code share is
 * loaded at start, with all that only the late code uses of it: here more than half of zod.
 */
export const zodOfItsOwn: Plugin = {
  name: "zod-of-its-own",
  setup(build) {
    build.onResolve({ filter: /^(?:zod|\.)/ }, async ({ path, importer, kind, resolveDir, pluginData }) => {
      if (pluginData === "asked") return undefined;
      const fromClient = path.startsWith("zod") && importer.includes("@modelcontextprotocol");
      if (!fromClient && pluginData !== suffix) return undefined;
      const found = await build.resolve(path, { importer, kind, resolveDir, pluginData: "asked" });
      return { ...found, suffix };
    });
    build.onLoad({ filter: /node_modules[\\/]zod[\\/]/ }, async ({ path, suffix: asked }) =>
      asked === suffix
        ? { contents: await readFile(path, "utf8"), loader: "js", pluginData: suffix }
        : undefined,
    );
  },
};
