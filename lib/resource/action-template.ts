import type { JsonPath } from "../canonical/json-pointer.ts";

/** `${{ args.NAME }}`; `$${{` stands for the text `${{`. */
const placeholder = /\$\$\{\{|\$\{\{(.*?)\}\}|\$\{\{/gs;
const reference = /^\s*args\.([A-Za-z_][A-Za-z0-9_-]{0,63})\s*$/;

export type TemplatePart =
  | { readonly kind: "text"; readonly text: string }
  | { readonly kind: "argument"; readonly name: string }
  | { readonly kind: "broken"; readonly text: string };

/** A string of a template, taken apart. */
export const templateParts = (text: string): readonly TemplatePart[] => {
  const parts: TemplatePart[] = [];
  let from = 0;
  const addText = (added: string) => {
    if (added !== "") parts.push({ kind: "text", text: added });
  };
  for (const match of text.matchAll(placeholder)) {
    addText(text.slice(from, match.index));
    from = match.index + match[0].length;
    const [whole, inner] = match;
    if (whole === "$${{") {
      addText("${{");
      continue;
    }
    const name = reference.exec(inner ?? "")?.[1];
    parts.push(name === undefined ? { kind: "broken", text: whole } : { kind: "argument", name });
  }
  addText(text.slice(from));
  return parts;
};

/** Visits every string of a value, keys too. */
export const visitStrings = (
  value: unknown,
  visit: (found: { readonly text: string; readonly path: JsonPath; readonly isKey: boolean }) => void,
  path: JsonPath = [],
): void => {
  if (typeof value === "string") {
    visit({ text: value, path, isKey: false });
  } else if (Array.isArray(value)) {
    for (const [index, element] of value.entries()) visitStrings(element, visit, [...path, index]);
  } else if (typeof value === "object" && value !== null) {
    for (const [key, member] of Object.entries(value)) {
      visit({ text: key, path: [...path, key], isKey: true });
      visitStrings(member, visit, [...path, key]);
    }
  }
};
