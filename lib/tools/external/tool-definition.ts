import * as z from "zod/mini";
import { resourceId } from "../../resource/resource-id.ts";

/** A call has to end within the worker's own time, with room for what stands around it. */
export const externalTimeLimitMs = { standard: 30_000, maximum: 45_000 } as const;
export const externalResponseBytes = { standard: 1024 * 1024, maximum: 4 * 1024 * 1024 } as const;

/** Set by the client itself, or about the connection rather than the call. */
const reservedHeaders =
  /^(?:accept|connection|content-(?:length|type)|expect|host|idempotency-key|keep-alive|mcp-.*|proxy-.*|te|trailer|transfer-encoding|upgrade)$/i;

const headerName = z.string().check(
  z.regex(/^[!#$%&'*+.^_`|~0-9A-Za-z-]{1,128}$/, "must be a header's name"),
  z.refine((name) => !reservedHeaders.test(name), "must not be a header that the service sets itself"),
);
const headerValue = z
  .string()
  .check(z.maxLength(4096), z.regex(/^[\t\x20-\x7e]*$/, "must be printable ASCII on one line"));

const httpUrl = z.string().check(
  z.maxLength(2048),
  z.refine((text) => {
    const url = URL.parse(text);
    return url !== null && (url.protocol === "http:" || url.protocol === "https:") && url.hostname !== "";
  }, "must be an absolute http: or https: URL"),
  z.refine((text) => {
    const url = URL.parse(text);
    return url === null || (url.username === "" && url.password === "" && url.hash === "");
  }, "must hold neither credentials nor a fragment: put credentials into a header, as secret:NAME"),
);

const outside = {
  url: httpUrl,
  /** Values may hold `secret:NAME`. */
  headers: z.optional(z.record(headerName, headerValue)),
  /** Members of the input that the definition gives itself, the caller does not; strings may hold `secret:NAME`. */
  input: z.optional(z.record(z.string(), z.unknown())),
  timeLimitMs: z.optional(z.int().check(z.minimum(1), z.maximum(externalTimeLimitMs.maximum))),
  maxResponseBytes: z.optional(z.int().check(z.minimum(1), z.maximum(externalResponseBytes.maximum))),
  /** May be called again with the same idempotency key when the outcome of a call is unknown. */
  idempotent: z.optional(z.boolean()),
};

const httpRun = z.strictObject({ kind: z.literal("http"), ...outside });
const mcpRun = z.strictObject({
  kind: z.literal("mcp"),
  ...outside,
  /** The tool's name on the MCP server, where that is another. */
  tool: z.optional(z.string().check(z.minLength(1), z.maxLength(128))),
});

/**
 * A synced tool: the fields of a tool as MCP's `tools/list` gives them, and how to run it. Its effect is `external`. `_meta`
 * may hold further members, as MCP has it; everywhere else an unknown field is refused.
 */
export const toolDefinition = z.strictObject({
  name: z
    .string()
    .check(
      z.regex(
        /^[A-Za-z0-9_][A-Za-z0-9_.-]{0,127}$/,
        "must be 1 to 128 letters, digits, '.', '_' and '-', the first none of '.' and '-'",
      ),
    ),
  title: z.optional(z.string().check(z.maxLength(512))),
  description: z.string().check(z.maxLength(64 * 1024)),
  inputSchema: z.record(z.string(), z.unknown()),
  outputSchema: z.optional(z.record(z.string(), z.unknown())),
  annotations: z.optional(
    z.strictObject({
      title: z.optional(z.string()),
      readOnlyHint: z.optional(z.boolean()),
      destructiveHint: z.optional(z.boolean()),
      idempotentHint: z.optional(z.boolean()),
      openWorldHint: z.optional(z.boolean()),
    }),
  ),
  icons: z.optional(z.array(z.record(z.string(), z.unknown()))),
  execution: z.optional(z.record(z.string(), z.unknown())),
  _meta: z.optional(
    z.looseObject({
      id: z.optional(resourceId),
      version: z.optional(z.string().check(z.minLength(1), z.maxLength(128))),
    }),
  ),
  run: z.discriminatedUnion("kind", [httpRun, mcpRun]),
});

export type ToolDefinition = z.infer<typeof toolDefinition>;
export type HttpToolDefinition = ToolDefinition & { readonly run: z.infer<typeof httpRun> };
export type McpToolDefinition = ToolDefinition & { readonly run: z.infer<typeof mcpRun> };
