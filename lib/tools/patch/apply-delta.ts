import { maxFileSizeBytes } from "../../tree/file-limit.ts";

/** What git's binary delta makes of its source; `undefined` when it does not fit, or is damaged. */
export const applyDelta = (source: Uint8Array, delta: Uint8Array): Uint8Array | undefined => {
  let at = 0;
  const byte = (): number => {
    const value = delta[at];
    at += 1;
    return value ?? Number.NaN;
  };
  const size = (): number => {
    let value = 0;
    for (let scale = 1; ; scale *= 128) {
      const part = byte();
      value += (part & 127) * scale;
      if (Number.isNaN(part) || value > maxFileSizeBytes) return -1;
      if (part < 128) return value;
    }
  };
  if (size() !== source.byteLength) return undefined;
  const target = Buffer.alloc(Math.max(0, size()));
  let written = 0;
  while (at < delta.length) {
    const operation = byte();
    if (operation === 0) return undefined;
    let from = at;
    let length = operation;
    let origin = delta;
    if (operation >= 128) {
      origin = source;
      from = 0;
      length = 0;
      for (let bit = 0; bit < 4; bit += 1) if (operation & (1 << bit)) from += byte() * 256 ** bit;
      for (let bit = 0; bit < 3; bit += 1) if (operation & (16 << bit)) length += byte() * 256 ** bit;
      if (length === 0) length = 0x10000;
    } else {
      at += length;
    }
    if (!(from + length <= origin.length) || written + length > target.length) return undefined;
    target.set(origin.subarray(from, from + length), written);
    written += length;
  }
  return written === target.length ? target : undefined;
};
