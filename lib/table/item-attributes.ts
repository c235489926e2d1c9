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

function damaged(item: TableItem, name: string, expected: string): never {
  throw new InfrastructureError({
    code: "internal",
    message: `The item ${item.sk?.S} of ${item.pk?.S} is damaged: attribute '${name}' must be ${expected}.`,
  });
}
