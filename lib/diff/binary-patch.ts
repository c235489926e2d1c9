import { deflateSync } from "node:zlib";

const alphabet = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz!#$%&()*+-;<=>?@^_`{|}~";
const bytesPerLine = 52;

/** The body of a `GIT binary patch`: the whole content after, then the whole content before, so that it reverses too. */
export const binaryPatch = (before: Uint8Array, after: Uint8Array): string =>
  `GIT binary patch\n${literal(after)}\n${literal(before)}\n`;

const literal = (bytes: Uint8Array): string => {
  const packed = deflateSync(bytes);
  const lines = [`literal ${bytes.byteLength}\n`];
  for (let start = 0; start < packed.length; start += bytesPerLine) {
    const line = packed.subarray(start, start + bytesPerLine);
    lines.push(`${lengthLetter(line.length)}${base85(line)}\n`);
  }
  return lines.join("");
};

const lengthLetter = (length: number): string =>
  String.fromCharCode(length <= 26 ? 0x40 + length : 0x60 + length - 26);

/** Git's base 85: groups of four bytes, big-endian, the last one padded with zeros, to five digits. */
const base85 = (bytes: Uint8Array): string => {
  let encoded = "";
  for (let start = 0; start < bytes.length; start += 4) {
    let value = 0;
    for (let index = start; index < start + 4; index += 1) value = value * 256 + (bytes[index] ?? 0);
    let digits = "";
    for (let digit = 0; digit < 5; digit += 1) {
      digits = alphabet.charAt(value % 85) + digits;
      value = Math.floor(value / 85);
    }
    encoded += digits;
  }
  return encoded;
};
