const hexHash = /"([0-9a-f]{64}|[0-9a-f]{40})"/g;
/** JSON never holds these as they are, so nothing else in it can be taken for a mark. */
const mark = { sha256: "\u0001", sha1: "\u0002", again: "\u0003" } as const;
// biome-ignore lint/suspicious/noControlCharactersInRegex: the marks are control characters so that no JSON holds them.
const marked = /[\u0001\u0002]|\u0003([0-9a-z]+);/g;
const sha256Bytes = 32;
const sha1Bytes = 20;

/** A JSON text whose hashes, written as hexadecimal strings, were taken out. */
export interface PackedHashes {
  readonly text: string;
  /** The distinct ones, as bytes, in the order of their first place in the text. */
  readonly hashes: Uint8Array;
}

/** Takes the hashes out of a JSON text: no compression gets hexadecimal digits down to the bytes that they stand for. */
export function packHashes(json: string): PackedHashes {
  const seen = new Map<string, number>();
  const text = json.replace(hexHash, (_, hash: string) => {
    const at = seen.get(hash);
    if (at !== undefined) {
      // Most are named again soon: small numbers, much alike.
      return `${mark.again}${(seen.size - at).toString(36)};`;
    }
    seen.set(hash, seen.size);
    return hash.length === 2 * sha256Bytes ? mark.sha256 : mark.sha1;
  });
  return { text, hashes: Buffer.from([...seen.keys()].join(""), "hex") };
}

/** The JSON text again. Throws a `RangeError` when hashes are missing. */
export function unpackHashes({ text, hashes }: PackedHashes): string {
  const bytes = Buffer.from(hashes.buffer, hashes.byteOffset, hashes.byteLength);
  const seen: string[] = [];
  let offset = 0;
  const next = (length: number): string => {
    if (offset + length > bytes.length) {
      throw new RangeError("A hash is missing.");
    }
    const hash = bytes.toString("hex", offset, offset + length);
    offset += length;
    seen.push(hash);
    return hash;
  };
  const again = (distance: string): string => {
    const hash = seen.at(-Number.parseInt(distance, 36));
    if (hash === undefined) {
      throw new RangeError("A hash is missing.");
    }
    return hash;
  };
  return text.replace(marked, (found, distance: string | undefined) => {
    const hash =
      distance === undefined ? next(found === mark.sha256 ? sha256Bytes : sha1Bytes) : again(distance);
    return `"${hash}"`;
  });
}
