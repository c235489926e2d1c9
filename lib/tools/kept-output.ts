import { sha256Hex } from "../canonical/sha256.ts";
import type { KeptOutput } from "./tool-outcome.ts";

export const defaultOutputLimitBytes = 64 * 1024;

/**
 * Output as it is kept: the first bytes up to the limit, with size and hash of the whole. The cut never falls inside a
 * character of UTF-8. Any bytes and any string will do, NUL and lone surrogates included.
 */
export const keptOutput = (
  output: string | Uint8Array,
  limitBytes: number = defaultOutputLimitBytes,
): KeptOutput => {
  const whole = new Uint8Array(typeof output === "string" ? outputBytes(output) : output);
  const truncated = whole.byteLength > limitBytes;
  return {
    bytes: truncated ? whole.slice(0, cutAt(whole, limitBytes)) : whole,
    sizeBytes: whole.byteLength,
    truncated,
    sha256: sha256Hex(whole),
  };
};

/** UTF-8; a lone surrogate as the three bytes it would have there (WTF-8), which no decoder takes for another character. */
const outputBytes = (text: string): Uint8Array => {
  if (text.isWellFormed()) return Buffer.from(text);
  return Buffer.concat(
    [...text].map((character) => {
      const unit = character.charCodeAt(0);
      return character.length === 1 && unit >= 0xd800 && unit <= 0xdfff
        ? Buffer.of(0xed, 0x80 | ((unit >> 6) & 0x3f), 0x80 | (unit & 0x3f))
        : Buffer.from(character);
    }),
  );
};

/** The last start of a character at or before the limit, at most three bytes back. */
const cutAt = (bytes: Uint8Array, limitBytes: number): number => {
  for (let at = limitBytes; at > Math.max(0, limitBytes - 4); at -= 1) {
    if (((bytes[at] ?? 0) & 0xc0) !== 0x80) return at;
  }
  return limitBytes;
};
