import { inflateSync } from "node:zlib";
import { maxFileSizeBytes } from "../../tree/file-limit.ts";
import type { BinaryBody } from "./file-patch.ts";
import { patchFailed } from "./patch-failed.ts";
import type { PatchReader } from "./patch-reader.ts";

const alphabet = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz!#$%&()*+-;<=>?@^_`{|}~";
const digits = new Map([...alphabet].map((character, digit) => [character, digit]));

/** The body of a `GIT binary patch`: the part that goes forward; the one that goes back is read and left out. */
export const readBinary = (reader: PatchReader): BinaryBody => {
  const forward = readPart(reader);
  if (forward === undefined) {
    throw patchFailed("a binary patch has no literal or delta", { patchLine: reader.line() });
  }
  readPart(reader);
  return forward;
};

const readPart = (reader: PatchReader): BinaryBody | undefined => {
  const patchLine = reader.line();
  const found = /^(literal|delta) (\d{1,9})$/.exec(reader.peek() ?? "");
  if (found === null) return undefined;
  reader.next();
  const sizeBytes = Number(found[2]);
  const packed: Buffer[] = [];
  for (let line = reader.next(); line !== undefined && line !== ""; line = reader.next()) {
    packed.push(decodeLine(line, reader.line() - 1));
  }
  const bytes = inflate(Buffer.concat(packed), sizeBytes);
  if (bytes?.byteLength !== sizeBytes) {
    throw patchFailed("the data of a binary patch is damaged, or above the limit of a file", { patchLine });
  }
  return { method: found[1] === "delta" ? "delta" : "literal", bytes };
};

const inflate = (packed: Uint8Array, sizeBytes: number): Uint8Array | undefined => {
  if (sizeBytes > maxFileSizeBytes) return undefined;
  try {
    return inflateSync(packed, { maxOutputLength: Math.max(1, sizeBytes) });
  } catch {
    return undefined;
  }
};

/** A line of base 85: how many bytes it holds (`A`–`Z` 1–26, `a`–`z` 27–52), then five characters for every four bytes. */
const decodeLine = (line: string, patchLine: number): Buffer => {
  const damaged = () => patchFailed("a line of a binary patch is damaged", { patchLine });
  const first = line.charCodeAt(0);
  const length = first >= 97 ? first - 97 + 27 : first - 65 + 1;
  if (!/^[A-Za-z]$/.test(line.charAt(0)) || line.length !== 1 + Math.ceil(length / 4) * 5) throw damaged();
  const bytes = Buffer.alloc(Math.ceil(length / 4) * 4);
  for (let group = 0; group * 4 < length; group += 1) {
    let value = 0;
    for (const character of line.slice(1 + group * 5, 6 + group * 5)) {
      const digit = digits.get(character);
      if (digit === undefined) throw damaged();
      value = value * 85 + digit;
    }
    if (value > 0xffffffff) throw damaged();
    bytes.writeUInt32BE(value, group * 4);
  }
  return bytes.subarray(0, length);
};
