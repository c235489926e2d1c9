import type { Tool } from "../tool.ts";
import type { ExternalToolPorts } from "./external-tool-ports.ts";
import { externalTimeLimitMs, type McpToolDefinition } from "./tool-definition.ts";

/** A tool of an MCP server. The MCP client is loaded at the first call, not by whoever only looks at tools. */
export const mcpTool = (definition: McpToolDefinition, ports: ExternalToolPorts): Tool => ({
  name: definition.name,
  description: definition.description,
  inputSchema: definition.inputSchema,
  effect: "external",
  idempotent: definition.run.idempotent === true,
  timeLimitMs: definition.run.timeLimitMs ?? externalTimeLimitMs.standard,
  async run(input, context) {
    const { callMcp } = await import("./call-mcp.ts");
    return callMcp(definition, { input, context }, ports);
  },
});
