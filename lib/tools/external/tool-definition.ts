import * as z from "zod/mini";
import { assertJsonValue } from "../../canonical/assert-json-value.ts";
import { ValidationError } from "../../errors/planledger-error.ts";
import { type ValidationIssue, validationErrorOf, validationIssues } from "../../errors/validation-issue.ts";
import { resourceId } from "../../resource/resource-id.ts";
import { inputValidator } from "../input-validator.ts";

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

/** Of a definition as JSON; the whole record of a tool stays far below what a stored item holds. */
const maximumBytes = 128 * 1024;

/**
 * Reads a tool definition (parsed JSON or YAML). Throws a `ValidationError` whose `field` is the JSON pointer of the first
 * issue; all of them stand in `details.issues`. Beyond the schema: the input schema can be compiled, the size is limited, and
 * no fixed member of the input is one that callers are asked for.
 */
export const parseToolDefinition = (value: unknown): ToolDefinition => {
  assertJsonValue(value, { maxDepth: 64 });
  const parsed = z.safeParse(toolDefinition, value);
  if (!parsed.success) throw validationErrorOf(validationIssues(parsed.error.issues, { value }), 20);
  const found = Buffer.byteLength(JSON.stringify(value));
  const issues: ValidationIssue[] = [...fixedInputIssues(parsed.data)];
  if (found > maximumBytes) {
    issues.push({
      field: "",
      code: "limit_exceeded",
      message: `takes ${found} bytes of JSON; a tool definition may take ${maximumBytes}`,
      details: { limit: maximumBytes, found },
    });
  }
  if (issues.length > 0) throw validationErrorOf(issues, 20);
  checkInputSchema(parsed.data);
  return parsed.data;
};

const fixedInputIssues = ({ inputSchema, run }: ToolDefinition): readonly ValidationIssue[] => {
  const { properties } = inputSchema;
  if (typeof properties !== "object" || properties === null) return [];
  return Object.keys(run.input ?? {})
    .filter((name) => Object.hasOwn(properties, name))
    .map((name) => ({
      field: `/run/input/${name}`,
      code: "validation_failed" as const,
      message: "must not be a property of the inputSchema: callers would be asked for it, and not heard",
    }));
};

const checkInputSchema = (definition: ToolDefinition): void => {
  try {
    inputValidator(definition);
  } catch (error) {
    if (!(error instanceof ValidationError)) throw error;
    throw new ValidationError({
      field: "/inputSchema",
      message: error.message,
      details: { tool: definition.name },
      cause: error,
    });
  }
};
