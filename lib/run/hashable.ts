/**
 * A value that came out of a tool, as plain data that has a canonical form: ill-formed strings get U+FFFD, what JSON cannot
 * carry is left out (members) or `null` (elements, non-finite numbers). The same before and after storage.
 */
export function hashable(value: unknown): unknown {
  if (typeof value === "string") {
    return value.toWellFormed();
  }
  if (typeof value === "number") {
    return Number.isFinite(value) ? value : null;
  }
  if (Array.isArray(value)) {
    return value.map((item) => hashable(item) ?? null);
  }
  if (typeof value === "object" && value !== null) {
    const members = Object.entries(value)
      .map(([key, member]) => [key.toWellFormed(), hashable(member)] as const)
      .filter(([, member]) => member !== undefined);
    return Object.fromEntries(members);
  }
  return value === null || typeof value === "boolean" ? value : undefined;
}
