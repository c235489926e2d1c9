import { builtinTools } from "#lib/tools/builtin/builtin-tools.ts";
import { ToolRegistry } from "#lib/tools/tool-registry.ts";

/** The tools that every plan may call. They bring the validator of JSON Schemas along, so they are loaded when a plan is looked at. */
export const serviceTools = (): ToolRegistry => new ToolRegistry(builtinTools());
