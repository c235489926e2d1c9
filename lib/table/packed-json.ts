import { deflateRawSync, inflateRawSync } from "node:zlib";

/**
 * Plain JSON data as few bytes: deflated against a dictionary of the field names and values that its kind of record mostly
 * holds. A dictionary belongs to the record's version `v`: to change it is to write the next version.
 */
export function packJson(value: unknown, dictionary: string): Uint8Array {
  return deflateRawSync(JSON.stringify(value), { level: 9, dictionary: Buffer.from(dictionary) });
}

/** What `packJson` was given, still to be parsed. Throws where the bytes are damaged. */
export function unpackJson(bytes: Uint8Array, dictionary: string): unknown {
  return JSON.parse(inflateRawSync(bytes, { dictionary: Buffer.from(dictionary) }).toString());
}
