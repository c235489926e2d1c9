import { InfrastructureError } from "../errors/planledger-error.ts";
import type { TableItem } from "./dynamodb-table.ts";

/** An attribute that must be there in an item that a store wrote; anything else is a damaged item. */
export function textAttribute(item: TableItem, name: string): string {
  return item[name]?.S ?? damaged(item, name, "a string");
}

export function numberAttribute(item: TableItem, name: string): number {
  const value = item[name]?.N;
  return value === undefined ? damaged(item, name, "a number") : Number(value);
}

export function bytesAttribute(item: TableItem, name: string): Uint8Array {
  return item[name]?.B ?? damaged(item, name, "bytes");
}

/** Refuses an item of a format that this code does not know: to read on would be a guess. */
export function requireVersion(item: TableItem, known: number): void {
  const version = numberAttribute(item, "v");
  if (version === known) return;
  throw new InfrastructureError({
    code: "internal",
    message: `The item ${item.sk?.S} of ${item.pk?.S} has format ${version}; this version reads ${known}. Deploy the version that wrote it.`,
  });
}

function damaged(item: TableItem, name: string, expected: string): never {
  throw new InfrastructureError({
    code: "internal",
    message: `The item ${item.sk?.S} of ${item.pk?.S} is damaged: attribute '${name}' must be ${expected}.`,
  });
}
