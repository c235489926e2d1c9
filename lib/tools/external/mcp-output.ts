import { StreamableHTTPError } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import { McpError } from "@modelcontextprotocol/sdk/types.js";
import * as z from "zod/mini";
import { ToolError } from "../tool-error.ts";

const callResult = z.object({
  content: z.optional(z.array(z.looseObject({ type: z.string() }))),
  structuredContent: z.optional(z.unknown()),
  isError: z.optional(z.boolean()),
});

const textBlock = z.object({ type: z.literal("text"), text: z.string() });

/**
 * The output of an MCP tool's result: its content blocks, one after another on lines of their own, texts as they are, others
 * (images, sound, resources) as JSON; without any, the structured content as JSON.
 */
export const mcpOutput = (result: unknown): { readonly output: string; readonly isError: boolean } => {
  const { content = [], structuredContent, isError = false } = z.parse(callResult, result);
  const blocks = content.map((block) => {
    const text = z.safeParse(textBlock, block);
    return text.success ? text.data.text : JSON.stringify(block);
  });
  const output =
    blocks.length === 0 && structuredContent !== undefined
      ? JSON.stringify(structuredContent)
      : blocks.join("\n");
  return { output, isError };
};

/** An error of the MCP client as a failure of the tool, where it is an answer of the other side. */
export const mcpFailure = (error: unknown, tool: string): unknown => {
  if (error instanceof StreamableHTTPError) {
    return new ToolError({
      code: "external_failed",
      message: `The MCP server of the tool ${JSON.stringify(tool)} did not take the call: ${error.message}`,
      ...(error.code === undefined ? {} : { details: { status: error.code } }),
      cause: error,
    });
  }
  if (error instanceof McpError) {
    return new ToolError({
      code: "external_failed",
      message: `The MCP server of the tool ${JSON.stringify(tool)} answered with an error: ${error.message}`,
      details: { mcpErrorCode: error.code },
      cause: error,
    });
  }
  return error;
};
