import { deflateRawSync, inflateRawSync } from "node:zlib";
import type * as z from "zod/mini";
import { InfrastructureError } from "../errors/planledger-error.ts";

/**
 * Plain JSON data as few bytes: deflated against a dictionary of the field names and values that its kind of record mostly
 * holds. A dictionary belongs to the record's version `v`: to change it is to write the next version.
 */
export function packJson(value: unknown, dictionary: string): Uint8Array {
  return deflateRawSync(JSON.stringify(value), { level: 9, dictionary: Buffer.from(dictionary) });
}

/**
 * What `packJson` was given, held to a schema; bytes that are damaged or hold something else are an `InfrastructureError`
 * (`internal`). The value is the one that was read, not the schema's copy: fields that only a later version knows stay in it.
 */
export function unpackJson<Output>(
  bytes: Uint8Array,
  packed: { readonly dictionary: string; readonly schema: z.ZodMiniType<Output> },
): Output {
  const { dictionary, schema } = packed;
  let value: unknown;
  try {
    value = JSON.parse(inflateRawSync(bytes, { dictionary: Buffer.from(dictionary) }).toString());
  } catch (cause) {
    throw damaged("it cannot be unpacked", cause);
  }
  const checked = schema.safeParse(value);
  if (!checked.success) {
    throw damaged(`it breaks its schema at /${checked.error.issues[0]?.path.join("/")}`, checked.error);
  }
  return value as Output;
}

const damaged = (why: string, cause: unknown): InfrastructureError =>
  new InfrastructureError({ code: "internal", message: `A stored record is damaged: ${why}.`, cause });
