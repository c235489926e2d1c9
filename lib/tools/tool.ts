import type { ToolWorkspace } from "../workspace/tool-workspace.ts";

/** `read` and `workspace` tools see nothing but the workspace; `external` tools reach outside and run by intent and result. */
export type ToolEffect = "read" | "workspace" | "external";

/** What a tool is given beside its input. Workspace tools get no clock and no random. */
export interface ToolContext {
  /** The workspace of a resource by binding or resource name; without a name the only one. Unknown: `unknown_resource`. */
  workspace(resource?: string): ToolWorkspace;
  /** Set for external tools: the same on every repetition of this call (plan, decision, call ordinal, input hash). */
  readonly idempotencyKey?: string;
  /** Aborted when the call's time limit is over. */
  readonly signal: AbortSignal;
}

/** Output as bytes; a string is encoded as UTF-8, a lone surrogate as its three bytes there (WTF-8), which are ill-formed and shown escaped. */
export interface ToolResult {
  readonly output: string | Uint8Array;
}

/** A tool: MCP's name, description and input schema, plus its effect and how to run it. */
export interface Tool {
  readonly name: string;
  readonly description: string;
  /** JSON Schema (2020-12 or draft-07) of the input; validated before every call. */
  readonly inputSchema: Readonly<Record<string, unknown>>;
  readonly effect: ToolEffect;
  /** External tools: may be called again with the same idempotency key when the outcome of a call is unknown. */
  readonly idempotent?: boolean;
  readonly timeLimitMs?: number;
  /** Throws a `ToolError` for a refusal or a failure; anything else that it throws is `tool_failed`. */
  run(input: Readonly<Record<string, unknown>>, context: ToolContext): Promise<ToolResult>;
}
