import { InfrastructureError } from "../errors/planledger-error.ts";

/** What stores keep in attributes. Bytes are bytes; a field that is `undefined` is not written. */
export type TableValue = string | number | Uint8Array;

/** An item of the table in plain values; as it is read, nothing else stands in it. */
export type TableItem = Readonly<Record<string, TableValue | undefined>>;

/** An item as the SDK's document client reads it. Values of other kinds, which no store writes, mean that it is damaged. */
export function tableItem(read: Readonly<Record<string, unknown>>): TableItem {
  const item: Record<string, TableValue> = {};
  for (const [name, value] of Object.entries(read)) {
    if (typeof value !== "string" && typeof value !== "number" && !(value instanceof Uint8Array)) {
      throw damagedItem(read, `attribute '${name}' must be a string, a number or bytes`);
    }
    item[name] = value;
  }
  return item;
}

/** `why` completes "The item … is damaged: …". */
export function damagedItem(item: Readonly<Record<string, unknown>>, why: string): InfrastructureError {
  return new InfrastructureError({
    code: "internal",
    message: `The item ${item.sk} of ${item.pk} is damaged: ${why}.`,
  });
}
