import { ValidationError } from "../errors/planledger-error.ts";
import { failureOf, toolFailure } from "./failure-of.ts";
import { defaultOutputLimitBytes, keptOutput } from "./kept-output.ts";
import type { Tool, ToolContext } from "./tool.ts";
import type { ToolFailure, ToolOutcome } from "./tool-outcome.ts";
import type { ToolRegistry } from "./tool-registry.ts";

export interface ToolRequest {
  readonly tool: string;
  readonly input: Readonly<Record<string, unknown>>;
}

/** A call that may run, or why it may not. */
export type PreparedCall =
  | { readonly status: "refused"; readonly outcome: ToolOutcome }
  | {
      readonly status: "ready";
      readonly tool: Tool;
      /** The resource that the input names although the tool does not declare it; where `context.workspace()` leads. */
      readonly resource?: string;
      readonly timeLimitMs: number;
      run(context: Omit<ToolContext, "signal">): Promise<ToolOutcome>;
    };

export interface ToolRunnerOptions {
  readonly registry: ToolRegistry;
  /** Output beyond is cut, and says so; 64 KiB unless given. */
  readonly outputLimitBytes?: number;
  /** For tools that name no limit of their own; 30 s unless given. */
  readonly defaultTimeLimitMs?: number;
}

/**
 * Runs tools: the input held to the tool's schema, a time limit, and every way to end told apart. Refusals and failures are
 * outcomes; only a fault of the infrastructure is thrown. It knows workspaces through the context alone, and no plan.
 */
export class ToolRunner {
  readonly registry: ToolRegistry;
  readonly #outputLimitBytes: number;
  readonly #defaultTimeLimitMs: number;

  constructor(options: ToolRunnerOptions) {
    if (options?.registry === undefined) {
      throw new ValidationError({ field: "registry", message: "A ToolRunner needs a registry of tools." });
    }
    this.registry = options.registry;
    this.#outputLimitBytes = options.outputLimitBytes ?? defaultOutputLimitBytes;
    this.#defaultTimeLimitMs = options.defaultTimeLimitMs ?? 30_000;
  }

  /** Everything that can be said about a call before it runs. Never throws. */
  prepare({ tool: name, input }: ToolRequest): PreparedCall {
    const registered = this.registry.registered(name);
    if (registered === undefined) return this.#refused(unknownTool(name, this.registry.list()));
    const { tool } = registered;
    const checked = registered.check(input);
    if (checked.status === "invalid") return this.#refused(checked.failure);
    const timeLimitMs = tool.timeLimitMs ?? this.#defaultTimeLimitMs;
    return {
      status: "ready",
      tool,
      ...(checked.resource === undefined ? {} : { resource: checked.resource }),
      timeLimitMs,
      run: (context) => this.#run(tool, checked.input, { ...context, timeLimitMs }),
    };
  }

  async run(call: ToolRequest, context: Omit<ToolContext, "signal">): Promise<ToolOutcome> {
    const prepared = this.prepare(call);
    return prepared.status === "refused" ? prepared.outcome : prepared.run(context);
  }

  async #run(
    tool: Tool,
    input: Readonly<Record<string, unknown>>,
    { timeLimitMs, ...context }: Omit<ToolContext, "signal"> & { readonly timeLimitMs: number },
  ): Promise<ToolOutcome> {
    const abort = new AbortController();
    const timedOut = Promise.withResolvers<ToolOutcome>();
    const timer = setTimeout(() => {
      timedOut.resolve(
        this.#failed({
          code: "tool_timed_out",
          message: `The tool ${JSON.stringify(tool.name)} did not end within its time limit of ${timeLimitMs} ms.`,
          details: { timeLimitMs },
        }),
      );
      abort.abort();
    }, timeLimitMs);
    try {
      return await Promise.race([
        this.#outcome(tool, input, { ...context, signal: abort.signal }),
        timedOut.promise,
      ]);
    } finally {
      clearTimeout(timer);
    }
  }

  async #outcome(
    tool: Tool,
    input: Readonly<Record<string, unknown>>,
    context: ToolContext,
  ): Promise<ToolOutcome> {
    try {
      const result: unknown = await tool.run(input, context);
      const output =
        typeof result === "object" && result !== null && "output" in result ? result.output : undefined;
      if (typeof output === "string" || output instanceof Uint8Array) {
        return { status: "succeeded", output: keptOutput(output, this.#outputLimitBytes) };
      }
      throw new TypeError("it returned no output (a string or bytes).");
    } catch (thrown) {
      const { failure, output } = failureOf(thrown, tool.name);
      return this.#failed(failure, output);
    }
  }

  #failed(failure: ToolFailure, output: string | Uint8Array = ""): ToolOutcome {
    return { status: "failed", failure, output: keptOutput(output, this.#outputLimitBytes) };
  }

  #refused(failure: ToolFailure): PreparedCall {
    return { status: "refused", outcome: this.#failed(toolFailure(failure)) };
  }
}

const unknownTool = (name: string, tools: readonly Tool[]): ToolFailure => ({
  code: "unknown_tool",
  message: `There is no tool ${JSON.stringify(name)}; known: ${tools.map((tool) => tool.name).join(", ") || "none"}.`,
  details: { tool: name },
});
