import { guardedAgent } from "../../outbound/guarded-agent.ts";
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
  const agent = guardedAgent(ports.outbound);
  try {
    const { url, headers, input } = prepared;
    const response = await agent.request({
      origin: url.origin,
      path: url.pathname + url.search,
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
    await agent.destroy();
  }
};

interface HttpResponse {
  readonly statusCode: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly body: AsyncIterable<Uint8Array>;
}

const outputOf = async (
  tool: string,
  { statusCode, headers, body }: HttpResponse,
  { redaction, maxResponseBytes }: PreparedExternalCall,
): Promise<ToolResult> => {
  if (statusCode >= 300 && statusCode < 400)
    throw redirectRefused(statusCode, String(headers.location ?? ""));
  if (statusCode >= 200 && statusCode < 300) {
    const { bytes, more } = await readLimited(body, maxResponseBytes);
    if (more) throw responseTooLarge(maxResponseBytes);
    return { output: redaction.bytes(bytes) };
  }
  const keptBytes = Math.min(maxResponseBytes, defaultOutputLimitBytes);
  const { bytes } = await readLimited(body, keptBytes + redaction.lookaheadBytes);
  throw new ToolError({
    code: "external_failed",
    message: `The tool ${JSON.stringify(tool)} answered with the status ${statusCode}.`,
    details: { status: statusCode },
    output: redaction.bytes(bytes, keptBytes),
  });
};
