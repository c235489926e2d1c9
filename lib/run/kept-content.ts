import { zstdCompressSync, zstdDecompressSync } from "node:zlib";

/** Content as a step keeps it: whole, or compressed against other content, its base, that is `depth` - 1 deltas deep itself. */
export type KeptContent =
  | { readonly kind: "whole"; readonly bytes: Uint8Array }
  | { readonly kind: "delta"; readonly base: string; readonly depth: number; readonly bytes: Uint8Array };

/** A reader resolves at most so many bases one after another. */
export const maxDeltaDepth = 8;

const maxDeltaSourceBytes = 4 * 1024 * 1024;
/** A delta has no part in the step's own compression, which alone halves text or better. */
const maxShareOfWhole = 0.3;
/** What begins like this is taken for a dictionary of zstd's own format. */
const dictionaryMagic = Buffer.from([0x37, 0xa4, 0x30, 0xec]);

export const depthOf = (kept: KeptContent): number => (kept.kind === "whole" ? 0 : kept.depth);

/**
 * Content that is nearly its base as a delta over it; `undefined` where that is not worth it, or would be too deep. A large
 * file with a small edit becomes some tens of bytes.
 */
export function deltaOver(
  base: { readonly sha256: string; readonly bytes: Uint8Array; readonly depth: number },
  bytes: Uint8Array,
): KeptContent | undefined {
  const tooLarge = Math.max(base.bytes.length, bytes.length) > maxDeltaSourceBytes;
  const isDictionary = Buffer.compare(base.bytes.subarray(0, 4), dictionaryMagic) === 0;
  if (tooLarge || isDictionary || base.depth >= maxDeltaDepth || base.bytes.length === 0) {
    return undefined;
  }
  const delta = zstdCompressSync(bytes, { dictionary: base.bytes });
  if (delta.length > bytes.length * maxShareOfWhole) {
    return undefined;
  }
  // The content exists nowhere else: what cannot be read back is not kept like this.
  if (Buffer.compare(zstdDecompressSync(delta, { dictionary: base.bytes }), bytes) !== 0) {
    return undefined;
  }
  return { kind: "delta", base: base.sha256, depth: base.depth + 1, bytes: delta };
}

export function wholeOf(delta: Uint8Array, base: Uint8Array): Uint8Array {
  return new Uint8Array(zstdDecompressSync(delta, { dictionary: base }));
}
