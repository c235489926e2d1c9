import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import { guardedClient } from "../../outbound/guarded-client.ts";
import type { ToolContext, ToolResult } from "../tool.ts";
import { ToolError } from "../tool-error.ts";
import { externalFailure } from "./external-failure.ts";
import type { ExternalToolPorts } from "./external-tool-ports.ts";
import { guardedFetch } from "./guarded-fetch.ts";
import { mcpFailure, mcpOutput } from "./mcp-output.ts";
import { type PreparedExternalCall, prepareCall } from "./prepared-call.ts";
import { externalTimeLimitMs, type McpToolDefinition } from "./tool-definition.ts";

/** How long the other side may take to take note of the session's end. */
const goodbyeLimitMs = 2_000;

type Call = {
  readonly input: Readonly<Record<string, unknown>>;
  readonly context: Pick<ToolContext, "idempotencyKey" | "signal">;
};

/**
 * One call of a tool of an MCP server over Streamable HTTP, in a session of its own that is ended whatever happens. The
 * idempotency key goes along as `_meta["planledger/idempotencyKey"]`.
 */
export const callMcp = async (
  definition: McpToolDefinition,
  call: Call,
  ports: ExternalToolPorts,
): Promise<ToolResult> => {
  const prepared = await prepareCall(definition, call.input, ports);
  const { redaction } = prepared;
  try {
    const { output, isError } = await inSession(definition, call, { prepared, ports });
    const redacted = redaction.bytes(Buffer.from(output));
    if (!isError) return { output: redacted };
    throw new ToolError({
      code: "external_failed",
      message: `The MCP tool ${JSON.stringify(definition.name)} says that it failed; its output says why.`,
      output: redacted,
    });
  } catch (error) {
    throw externalFailure(mcpFailure(error, definition.name), { tool: definition.name, redaction });
  }
};

const inSession = async (
  { name, run }: McpToolDefinition,
  { context }: Call,
  { prepared, ports }: { readonly prepared: PreparedExternalCall; readonly ports: ExternalToolPorts },
) => {
  const over = new AbortController();
  const http = guardedClient(ports.outbound);
  const fetch = guardedFetch({
    client: http,
    limitBytes: prepared.maxResponseBytes,
    fatal: (error) => over.abort(error),
  });
  const signal = AbortSignal.any([context.signal, over.signal]);
  const transport = new StreamableHTTPClientTransport(prepared.url, {
    requestInit: { headers: prepared.headers },
    // The goodbye must get through where the call's own time is over.
    fetch: (url, init) =>
      fetch(url, init?.method === "DELETE" ? { ...init, signal: AbortSignal.timeout(goodbyeLimitMs) } : init),
  });
  const client = new Client({ name: "planledger", version: "1" });
  const options = { signal, timeout: externalTimeLimitMs.maximum };
  try {
    await client.connect(transport, options);
    return mcpOutput(
      await client.callTool(
        {
          name: run.tool ?? name,
          arguments: prepared.input,
          ...(context.idempotencyKey === undefined
            ? {}
            : { _meta: { "planledger/idempotencyKey": context.idempotencyKey } }),
        },
        undefined,
        options,
      ),
    );
  } catch (error) {
    throw over.signal.aborted ? over.signal.reason : error;
  } finally {
    await transport.terminateSession().catch(() => undefined);
    await client.close().catch(() => undefined);
    http.close();
  }
};
