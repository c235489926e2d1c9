import { builtinTools } from "#lib/tools/builtin/builtin-tools.ts";
import { ToolRegistry } from "#lib/tools/tool-registry.ts";
import { ToolRunner } from "#lib/tools/tool-runner.ts";

/** A runner of the tools that come with the package. */
export function workspaceToolRunner(): ToolRunner {
  return new ToolRunner({ registry: new ToolRegistry(builtinTools()) });
}
