import { zstdCompressSync, zstdDecompressSync } from "node:zlib";
import { sha256Hex } from "../canonical/sha256.ts";
import { InfrastructureError } from "../errors/planledger-error.ts";

/**
 * Content as a step keeps it: whole, or as a delta over other content (`base`), over the inputs of the decision that wrote it
 * (`inputsOf`, its ordinal in the step's run), or over both, one after the other. At most `depth` bases lie under it.
 */
export type KeptContent =
  | { readonly kind: "whole"; readonly bytes: Uint8Array }
  | {
      readonly kind: "delta";
      readonly base?: string;
      readonly inputsOf?: number;
      readonly depth: number;
      readonly bytes: Uint8Array;
    };

/** What content may be kept over. */
export interface DeltaSources {
  readonly base?: { readonly sha256: string; readonly bytes: Uint8Array; readonly depth: number };
  readonly inputs?: { readonly ordinal: number; readonly bytes: Uint8Array };
}

/** A reader resolves at most so many bases one after another. */
export const maxDeltaDepth = 8;

const maxDeltaSourceBytes = 4 * 1024 * 1024;
/** A delta has no part in the step's own compression, which alone halves text or better. */
const maxShareOfWhole = 0.3;
/** A delta this small needs no base beside the inputs: without one it is read at once. */
const shareOfRewrite = 0.05;
const rewriteBytes = 64;
/** What begins like this is taken for a dictionary of zstd's own format. */
const dictionaryMagic = Buffer.from([0x37, 0xa4, 0x30, 0xec]);

/**
 * As what stored content that no step holds is taken to be: each as deep as its hash says. So files reach the depth at which
 * they are kept whole again at different times, and a decision costs the same wherever it stands in a plan.
 */
export const depthOfStored = (sha256: string): number =>
  Number.parseInt(sha256.slice(0, 8), 16) % (maxDeltaDepth + 1);

export const depthOf = (kept: KeptContent): number => (kept.kind === "whole" ? 0 : kept.depth);

/**
 * Content that is nearly what it is made of as a delta; `undefined` where that is not worth it, or would be too deep. A
 * large file with a small edit becomes some tens of bytes, and so does one that a call's input writes whole.
 */
export function deltaOver({ base, inputs }: DeltaSources, bytes: Uint8Array): KeptContent | undefined {
  const usableBase =
    base !== undefined && base.depth < maxDeltaDepth && base.bytes.length > 0 ? base : undefined;
  const usableInputs = inputs !== undefined && inputs.bytes.length > 0 ? inputs : undefined;
  if (usableInputs !== undefined && usableInputs.bytes.length >= bytes.length / 2) {
    const rewrite = compressed(usableInputs.bytes, bytes);
    const isRewrite =
      rewrite !== undefined && rewrite.length <= Math.max(rewriteBytes, bytes.length * shareOfRewrite);
    if (rewrite !== undefined && (isRewrite || usableBase === undefined)) {
      return { kind: "delta", inputsOf: usableInputs.ordinal, depth: 0, bytes: rewrite };
    }
  }
  if (usableBase === undefined) {
    return undefined;
  }
  const delta = compressed(joined(usableBase.bytes, usableInputs?.bytes), bytes);
  if (delta === undefined) {
    return undefined;
  }
  return {
    kind: "delta",
    base: usableBase.sha256,
    ...(usableInputs === undefined ? {} : { inputsOf: usableInputs.ordinal }),
    depth: usableBase.depth + 1,
    bytes: delta,
  };
}

/** The content that a delta was made of. What does not come out as `sha256` is an `internal` error, never a guess. */
export function wholeOf(
  delta: Uint8Array,
  over: { readonly base?: Uint8Array | undefined; readonly inputs?: Uint8Array | undefined },
  sha256: string,
): Uint8Array {
  try {
    const bytes = zstdDecompressSync(delta, { dictionary: joined(over.base, over.inputs) });
    if (sha256Hex(bytes) === sha256) {
      return new Uint8Array(bytes);
    }
  } catch {
    // Said below: bytes that are no frame, and a frame over other bytes, are the same fault.
  }
  throw new InfrastructureError({
    code: "internal",
    message: `The content ${sha256} cannot be read back from the delta that a step keeps of it.`,
  });
}

function compressed(dictionary: Uint8Array, bytes: Uint8Array): Uint8Array | undefined {
  const tooLarge = Math.max(dictionary.length, bytes.length) > maxDeltaSourceBytes;
  if (tooLarge || Buffer.compare(dictionary.subarray(0, 4), dictionaryMagic) === 0) {
    return undefined;
  }
  const delta = zstdCompressSync(bytes, { dictionary });
  if (delta.length > bytes.length * maxShareOfWhole) {
    return undefined;
  }
  // The content exists nowhere else: what cannot be read back is not kept like this.
  const isExact = Buffer.compare(zstdDecompressSync(delta, { dictionary }), bytes) === 0;
  return isExact ? delta : undefined;
}

function joined(base: Uint8Array | undefined, inputs: Uint8Array | undefined): Uint8Array {
  return base === undefined || inputs === undefined
    ? (base ?? inputs ?? new Uint8Array())
    : Buffer.concat([base, inputs]);
}
