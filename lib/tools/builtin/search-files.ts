import { byteOrder } from "../../tree/byte-order.ts";
import { type GlobMatch, glob } from "../glob.ts";
import { vettedSchema } from "../input-validator.ts";
import type { Tool } from "../tool.ts";
import { workBudget } from "../work-budget.ts";
import { directoryField, requiredText, textField } from "./input-field.ts";
import { resourceProperty } from "./resource-property.ts";

/** States of all patterns followed over all paths of a call; an ordinary pattern is in a few at a time. */
const maxFollowedStates = 500_000_000;

export const searchFiles: Tool = {
  name: "search_files",
  description:
    'Find files, directories and links below a directory whose path, relative to it, matches a glob: "*.ts" directly in it, "**/*.ts" at any depth. One path a line, relative to the root of the resource, in byte order. What is excluded is not searched either. Links are not followed.',
  effect: "read",
  inputSchema: vettedSchema({
    type: "object",
    properties: {
      path: {
        type: "string",
        description: 'Directory to search, relative to the root of the resource; "." is the root.',
      },
      pattern: {
        type: "string",
        minLength: 1,
        description: "Glob: *, ?, ** as a segment, [a-z], [!a-z], {a,b}.",
      },
      excludePatterns: {
        type: "array",
        maxItems: 100,
        items: { type: "string", minLength: 1 },
        description: "Globs of what to leave out, with all that lies below it.",
      },
      ...resourceProperty,
    },
    required: ["path", "pattern"],
    additionalProperties: false,
  }),
  async run(input, context) {
    const path = directoryField(input, "path");
    const wanted = glob(requiredText(input, "pattern"), "/pattern");
    const excludes = excludePatterns(input.excludePatterns);
    const prefix = path === "" ? "" : `${path}/`;
    const budget = workBudget({
      maximum: maxFollowedStates,
      tooMuch: `The patterns take more than ${maxFollowedStates} steps over all paths; search below a directory, or with fewer and simpler patterns (fewer * in one segment).`,
      signal: context.signal,
    });
    const matching = async (pattern: GlobMatch, relative: string): Promise<boolean> => {
      const { matches, steps } = pattern(relative);
      await budget.spend(steps);
      return matches;
    };
    const isExcluded = async (relative: string): Promise<boolean> => {
      for (const exclude of excludes) if (await matching(exclude, relative)) return true;
      return false;
    };
    const found: string[] = [];
    const excluded = new Set<string>();
    for (const child of (await context.workspace(textField(input, "resource")).walk(path)).keys()) {
      const relative = child.slice(prefix.length);
      const parent = relative.slice(0, Math.max(0, relative.lastIndexOf("/")));
      // Parents come first, so one look up tells.
      if (excluded.has(parent) || (await isExcluded(relative))) excluded.add(relative);
      else if (await matching(wanted, relative)) found.push(child);
    }
    return { output: found.length === 0 ? "No matches found" : found.sort(byteOrder).join("\n") };
  },
};

const excludePatterns = (patterns: unknown): readonly GlobMatch[] =>
  (Array.isArray(patterns) ? patterns : []).map((pattern: unknown, index) =>
    glob(String(pattern), `/excludePatterns/${index}`),
  );
