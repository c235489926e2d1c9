/** `secret:NAME` in a header's value or in a fixed part of an input, also within other text (`Bearer secret:API_TOKEN`). */
const reference = /(?<![A-Za-z0-9_])secret:([A-Za-z][A-Za-z0-9_]{0,63})(?![A-Za-z0-9_])/g;

/** The names of all secrets that a value refers to: in strings at any depth, not in keys. */
export const secretNames = (value: unknown): ReadonlySet<string> => {
  const names = new Set<string>();
  mapStrings(value, (text) => {
    for (const [, name = ""] of text.matchAll(reference)) names.add(name);
    return text;
  });
  return names;
};

/** The value with every reference replaced, in one pass: a secret that looks like a reference is not looked up. */
export const withSecrets = (value: unknown, secrets: ReadonlyMap<string, string>): unknown =>
  mapStrings(value, (text) => text.replaceAll(reference, (whole, name) => secrets.get(name) ?? whole));

/** A copy with every string replaced, keys left as they are. */
export const mapStrings = (value: unknown, replace: (text: string) => unknown): unknown => {
  if (typeof value === "string") return replace(value);
  if (Array.isArray(value)) return value.map((element) => mapStrings(element, replace));
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, member]) => [key, mapStrings(member, replace)]));
};
