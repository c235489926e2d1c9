import { RE2JS } from "re2js";
import type { Validated } from "./input-failure.ts";
import { type InputValidator, inputValidator, type PatternEngine } from "./input-validator.ts";

/**
 * Patterns that take time linear in the text, whatever they are: JavaScript's own backtrack, and `^(a+)+$` keeps them busy for
 * years with a text of fifty letters. Look-arounds and references back are not to be had so: a schema with them does not
 * compile.
 */
const linearPattern: PatternEngine = Object.assign(
  (pattern: string) => {
    const compiled = RE2JS.compile(RE2JS.translateRegExp(pattern));
    return { test: (text: string) => compiled.matcher(text).find(), toString: () => `linear /${pattern}/` };
  },
  { code: "linear" },
);

/** `inputValidator` for schemas that somebody synced. */
export const linearInputValidator = (tool: Validated): InputValidator => inputValidator(tool, linearPattern);
