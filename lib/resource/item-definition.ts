import { ValidationError } from "../errors/planledger-error.ts";

/** Members that every synced item has beside those of its kind. */
export interface ItemMembers {
  readonly id: string | undefined;
  readonly version: string | undefined;
  readonly definition: Readonly<Record<string, unknown>>;
}

/**
 * Parts an item as it is synced (`{ id, name, version, metadata, … }`) into what identifies it and what it defines, its name
 * among that. `metadata` says nothing about what the item does.
 */
export const partItem = (item: unknown): ItemMembers => {
  if (typeof item !== "object" || item === null || Array.isArray(item)) {
    throw new ValidationError({ field: "", message: "The item must be an object." });
  }
  const {
    id,
    version,
    metadata: _,
    ...definition
  } = { id: undefined, version: undefined, metadata: {}, ...item };
  return { id: textOf(id), version: textOf(version), definition };
};

const textOf = (value: unknown): string | undefined => (typeof value === "string" ? value : undefined);
