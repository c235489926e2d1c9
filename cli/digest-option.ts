import { InvalidArgumentError } from "commander";

/** A changeset's digest, for commander: whole, since nothing else says what was reviewed. */
export function digestOption(text: string): string {
  if (/^[0-9a-f]{64}$/.test(text)) return text;
  throw new InvalidArgumentError(
    "It must be a changeset's whole digest, 64 lower-case hex digits, as `planledger plan status` shows it.",
  );
}

/** Ids separated by commas, for commander. */
export function idList(text: string): readonly string[] {
  const ids = [...new Set(text.split(",").map((id) => id.trim()))].filter((id) => id !== "");
  if (ids.length > 0) return ids;
  throw new InvalidArgumentError("It must name decisions, separated by commas.");
}
