import { InfrastructureError } from "../errors/planledger-error.ts";
import { damagedItem, type TableItem } from "./table-item.ts";

/** An attribute that must be there in an item that a store wrote; anything else is a damaged item. */
export function textAttribute(item: TableItem, name: string): string {
  return optionalText(item, name) ?? damaged(item, name, "a string");
}

export function numberAttribute(item: TableItem, name: string): number {
  return optionalNumber(item, name) ?? damaged(item, name, "a number");
}

export function bytesAttribute(item: TableItem, name: string): Uint8Array {
  return optionalBytes(item, name) ?? damaged(item, name, "bytes");
}

/** An attribute that may be missing, and is nothing else. */
export function optionalText(item: TableItem, name: string): string | undefined {
  const value = item[name];
  return value === undefined || typeof value === "string" ? value : damaged(item, name, "a string");
}

export function optionalNumber(item: TableItem, name: string): number | undefined {
  const value = item[name];
  return value === undefined || typeof value === "number" ? value : damaged(item, name, "a number");
}

export function optionalBytes(item: TableItem, name: string): Uint8Array | undefined {
  const value = item[name];
  return value === undefined || value instanceof Uint8Array ? value : damaged(item, name, "bytes");
}

/** Refuses an item of a format that this code does not know: to read on would be a guess. */
export function requireVersion(item: TableItem, known: number): void {
  const version = numberAttribute(item, "v");
  if (version === known) return;
  throw new InfrastructureError({
    code: "internal",
    message: `The item ${item.sk} of ${item.pk} has format ${version}; this version reads ${known}. Deploy the version that wrote it.`,
  });
}

function damaged(item: TableItem, name: string, expected: string): never {
  throw damagedItem(item, `attribute '${name}' must be ${expected}`);
}
