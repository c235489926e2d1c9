import { ToolError } from "../tools/tool-error.ts";

/**
 * The resource that a call means: by binding or by its own name, a name first; without either the only one, or the only
 * writable one. Anything else is `unknown_resource`, with the names that the plan has.
 */
export const resolveResource = (
  asked: string | undefined,
  resources: ReadonlyMap<string, { readonly access: "read" | "write" }>,
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
  const [writable, ...further] = known.filter((name) => resources.get(name)?.access === "write");
  if (writable !== undefined && further.length === 0) return writable;
  throw refuse("The call must name its resource");
};
