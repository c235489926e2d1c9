import { ToolError } from "../tools/tool-error.ts";

/**
 * The resource that a call means: by binding or by its own name, a name first; without either the only one that the plan has.
 * Anything else is `unknown_resource`, with the names that the plan has.
 */
export const resolveResource = (
  asked: string | undefined,
  resources: ReadonlyMap<string, unknown>,
  bindings: Readonly<Record<string, string>>,
): string => {
  const known = [...resources.keys()];
  const refuse = (problem: string): ToolError =>
    new ToolError({
      code: "unknown_resource",
      message: `${problem}; the plan has: ${[...known, ...Object.keys(bindings)].join(", ") || "no resource"}.`,
      details: { field: "/resource", allowed: [...known, ...Object.keys(bindings)] },
    });
  if (asked !== undefined) {
    const bound = Object.hasOwn(bindings, asked) ? bindings[asked] : undefined;
    const name = resources.has(asked) ? asked : bound;
    if (name !== undefined && resources.has(name)) return name;
    throw refuse(`There is no resource ${JSON.stringify(asked)}`);
  }
  const [only, ...others] = known;
  if (only !== undefined && others.length === 0) return only;
  throw refuse(
    only === undefined
      ? "The call needs a resource"
      : "The call must name its resource, since the plan has more than one",
  );
};
