import { ValidationError } from "../errors/planledger-error.ts";

/** The name of a schedule or a sync source, checked before anything is sent. */
export function checkedName(name: unknown): string {
  if (typeof name === "string" && /^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/.test(name)) return name;
  const shown = name === undefined ? "undefined" : JSON.stringify(name).slice(0, 150);
  throw new ValidationError({
    field: "name",
    message: `name must be 1 to 64 letters, digits, '.', '_' or '-', the first a letter or digit, not ${shown}`,
  });
}
