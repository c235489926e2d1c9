import { guardedClient, type OutboundResponse } from "../../outbound/guarded-client.ts";
import { readLimited } from "../../outbound/read-limited.ts";
import { defaultOutputLimitBytes } from "../kept-output.ts";
import type { ToolContext, ToolResult } from "../tool.ts";
import { ToolError } from "../tool-error.ts";
import { externalFailure, redirectRefused, responseTooLarge } from "./external-failure.ts";
import type { ExternalToolPorts } from "./external-tool-ports.ts";
import { type PreparedExternalCall, prepareCall } from "./prepared-call.ts";
import type { HttpToolDefinition } from "./tool-definition.ts";

/** One call of an HTTP tool: a POST of `{ "input": … }` on a connection of its own. The body of a 2xx is the output, as bytes. */
export const callHttp = async (
  definition: HttpToolDefinition,
  call: {
    readonly input: Readonly<Record<string, unknown>>;
    readonly context: Pick<ToolContext, "idempotencyKey" | "signal">;
  },
  ports: ExternalToolPorts,
): Promise<ToolResult> => {
  const prepared = await prepareCall(definition, call.input, ports);
  const client = guardedClient(ports.outbound);
  try {
    const { url, headers, input } = prepared;
    const response = await client.request({
      url,
      method: "POST",
      headers: {
        ...headers,
        accept: "*/*",
        "content-type": "application/json",
        ...(call.context.idempotencyKey === undefined
          ? {}
          : { "idempotency-key": call.context.idempotencyKey }),
      },
      body: JSON.stringify({ input }),
      signal: call.context.signal,
    });
    return await outputOf(definition.name, response, prepared);
  } catch (error) {
    throw externalFailure(error, { tool: definition.name, redaction: prepared.redaction });
  } finally {
    client.close();
  }
};

const outputOf = async (
  tool: string,
  { status, headers, body }: OutboundResponse,
  { redaction, maxResponseBytes }: PreparedExternalCall,
): Promise<ToolResult> => {
  if (status >= 300 && status < 400) throw redirectRefused(status, headers.location);
  if (status >= 200 && status < 300) {
    const { bytes, more } = await readLimited(body, maxResponseBytes);
    if (more) throw responseTooLarge(maxResponseBytes);
    return { output: redaction.bytes(bytes) };
  }
  const keptBytes = Math.min(maxResponseBytes, defaultOutputLimitBytes);
  const { bytes } = await readLimited(body, keptBytes + redaction.lookaheadBytes);
  throw new ToolError({
    code: "external_failed",
    message: `The tool ${JSON.stringify(tool)} answered with the status ${status}.`,
    details: { status },
    output: redaction.bytes(bytes, keptBytes),
  });
};
