import { ConflictError, ValidationError } from "../errors/planledger-error.ts";
import { type InputValidator, inputValidator } from "./input-validator.ts";
import type { Tool } from "./tool.ts";
import { type CheckedInput, checkToolInput } from "./tool-input.ts";

/** Of a synced tool also its id, `namespace/name`. */
const namePattern =
  /^(?:[A-Za-z0-9_][A-Za-z0-9_.-]{0,127}|[\p{L}\p{M}\p{Nd}._-]{1,64}\/[\p{L}\p{M}\p{Nd}._-]{1,64})$/u;
const effects: readonly string[] = ["read", "workspace", "external"] satisfies readonly Tool["effect"][];

export interface RegisteredTool {
  readonly tool: Tool;
  /** The input as the tool is to get it, or what is wrong with it. */
  check(input: unknown): CheckedInput;
  /** What is wrong with an input of a plan, or `undefined`. */
  readonly validate: InputValidator;
}

/**
 * Tools by name. Registering refuses what could not run later: a name twice (`ConflictError`), a name outside the pattern, an
 * unknown effect, a time limit that is not positive or an input schema that is none (`ValidationError` with the field).
 */
export class ToolRegistry {
  readonly #tools = new Map<string, RegisteredTool>();

  readonly #below: ToolRegistry | undefined;
  readonly #validatorOf: (tool: Tool) => InputValidator;

  /**
   * `below`: a registry whose tools belong to this one too; it stays as it is. `validatorOf` makes the validators of this
   * one's own tools, in place of `inputValidator`.
   */
  constructor(
    tools: Iterable<Tool> = [],
    options: { readonly below?: ToolRegistry; readonly validatorOf?: (tool: Tool) => InputValidator } = {},
  ) {
    this.#below = options.below;
    this.#validatorOf = options.validatorOf ?? inputValidator;
    for (const tool of tools) this.register(tool);
  }

  register(tool: Tool): this {
    const refuse = (field: string, message: string): ValidationError =>
      new ValidationError({ field, message });
    if (typeof tool?.name !== "string" || !namePattern.test(tool.name)) {
      throw refuse(
        "name",
        `The tool name ${JSON.stringify(tool?.name)} is refused; allowed are 1 to 128 letters, digits, ".", "_" and "-", the first none of "." and "-", and ids of the form namespace/name.`,
      );
    }
    if (this.registered(tool.name) !== undefined) {
      throw new ConflictError({
        code: "store_conflict",
        message: `A tool named ${JSON.stringify(tool.name)} is registered already; names are unique.`,
        details: { tool: tool.name },
      });
    }
    if (!effects.includes(tool.effect)) {
      throw refuse(
        "effect",
        `The effect ${JSON.stringify(tool.effect)} of the tool ${JSON.stringify(tool.name)} is unknown; allowed are ${effects.join(", ")}.`,
      );
    }
    if (typeof tool.run !== "function") {
      throw refuse("run", `The tool ${JSON.stringify(tool.name)} has no function run.`);
    }
    if (tool.timeLimitMs !== undefined && !(tool.timeLimitMs > 0 && tool.timeLimitMs <= maxTimeLimitMs)) {
      throw refuse(
        "timeLimitMs",
        `The time limit of the tool ${JSON.stringify(tool.name)} must be above 0 and at most ${maxTimeLimitMs} ms.`,
      );
    }
    const validator = this.#validatorOf(tool);
    const check = (input: unknown): CheckedInput => checkToolInput(tool, validator, input);
    const validate: InputValidator = (input) => {
      const checked = check(input);
      return checked.status === "invalid" ? checked.failure : undefined;
    };
    this.#tools.set(tool.name, { tool, check, validate });
    return this;
  }

  get(name: string): Tool | undefined {
    return this.registered(name)?.tool;
  }

  /** The tool together with its compiled validator. */
  registered(name: string): RegisteredTool | undefined {
    return this.#tools.get(name) ?? this.#below?.registered(name);
  }

  /** In the order of their registration. */
  list(): readonly Tool[] {
    return [...(this.#below?.list() ?? []), ...[...this.#tools.values()].map(({ tool }) => tool)];
  }
}

/** What a function that runs a call can live, and a timer can count. */
const maxTimeLimitMs = 900_000;
