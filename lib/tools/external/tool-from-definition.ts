import type { Tool } from "../tool.ts";
import type { ExternalToolPorts } from "./external-tool-ports.ts";
import { httpTool } from "./http-tool.ts";
import { mcpTool } from "./mcp-tool.ts";
import type { ToolDefinition } from "./tool-definition.ts";

/** The tool that a definition describes, under the definition's name. Nothing is read or connected before it runs. */
export const toolFromDefinition = ({ run, ...described }: ToolDefinition, ports: ExternalToolPorts): Tool => {
  switch (run.kind) {
    case "http":
      return httpTool({ ...described, run }, ports);
    case "mcp":
      return mcpTool({ ...described, run }, ports);
    default:
      return run satisfies never;
  }
};
