import { isBuiltin } from "node:module";
import type { Plugin } from "esbuild";

const namespace = "required-builtin";

/**
 * Has Node's own modules required, not imported. An ECMAScript import of one asks for all of its exports, and with that
 * loads what hangs off them: of `node:http` all of `fetch` and `WebSocket`, some 10 ms that nobody asked for.
 */
export const requiredBuiltins: Plugin = {
  name: "required-builtins",
  setup({ onResolve, onLoad }) {
    onResolve({ filter: /^(?:node:)?[a-z_]+(?:\/[a-z_]+)*$/ }, ({ path, kind, namespace: from }) => {
      if (!isBuiltin(path)) return undefined;
      if (from === namespace || kind !== "import-statement") return { path, external: true };
      return { path, namespace, sideEffects: false };
    });
    onLoad({ filter: /./, namespace }, ({ path }) => ({
      contents: `module.exports = require(${JSON.stringify(path)});`,
      loader: "js",
    }));
  },
};
