import type { Tool } from "../tool.ts";
import type { ExternalToolPorts } from "./external-tool-ports.ts";
import { externalTimeLimitMs, type HttpToolDefinition } from "./tool-definition.ts";

/** A tool that is called by an HTTP POST. The HTTP client is loaded at the first call, not by whoever only looks at tools. */
export const httpTool = (definition: HttpToolDefinition, ports: ExternalToolPorts): Tool => ({
  name: definition.name,
  description: definition.description,
  inputSchema: definition.inputSchema,
  effect: "external",
  idempotent: definition.run.idempotent === true,
  timeLimitMs: definition.run.timeLimitMs ?? externalTimeLimitMs.standard,
  async run(input, context) {
    const { callHttp } = await import("./call-http.ts");
    return callHttp(definition, { input, context }, ports);
  },
});
