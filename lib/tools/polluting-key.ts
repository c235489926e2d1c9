import { type JsonPath, jsonPointer } from "../canonical/json-pointer.ts";

/** JSON pointer to an own `__proto__` anywhere in a value: assigning such a key would change an object's prototype. */
export const polluting = (value: unknown): string | undefined => {
  const pending: { readonly value: unknown; readonly path: JsonPath }[] = [{ value, path: [] }];
  const seen = new Set<object>();
  for (let next = pending.pop(); next !== undefined; next = pending.pop()) {
    if (typeof next.value !== "object" || next.value === null || seen.has(next.value)) continue;
    seen.add(next.value);
    for (const [key, child] of Object.entries(next.value)) {
      if (key === "__proto__") return jsonPointer([...next.path, key]);
      if (typeof child === "object") pending.push({ value: child, path: [...next.path, key] });
    }
  }
  return undefined;
};
