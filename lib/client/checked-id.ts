import { ValidationError } from "../errors/planledger-error.ts";

/** A plan or decision id, checked before anything is sent; the error names `field`. */
export function checkedId(field: string, id: unknown): string {
  if (typeof id === "string" && /^[A-Za-z0-9][A-Za-z0-9._-]{0,127}$/.test(id)) return id;
  throw new ValidationError({
    field,
    message: `${field} must be 1 to 128 letters, digits, '.', '_' or '-', the first a letter or digit, not ${shown(id)}`,
  });
}

/** A resource id `namespace/name` in its two parts, in NFC. */
export function checkedResourceId(field: string, id: unknown): readonly [namespace: string, name: string] {
  const parts = typeof id === "string" ? id.normalize("NFC").split("/") : [];
  const [namespace, name] = parts;
  if (parts.length === 2 && isSegment(namespace) && isSegment(name)) return [namespace, name];
  throw new ValidationError({
    field,
    message: `${field} must be namespace/name, each 1 to 64 letters, digits, '.', '_' or '-' (for example local/app), not ${shown(id)}`,
  });
}

const isSegment = (part: string | undefined): part is string =>
  part !== undefined && /^[\p{L}\p{M}\p{N}._-]{1,64}$/u.test(part) && part !== "." && part !== "..";

const shown = (value: unknown) => (value === undefined ? "undefined" : JSON.stringify(value).slice(0, 150));
