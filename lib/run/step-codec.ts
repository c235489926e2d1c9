import { constants, zstdCompressSync, zstdDecompressSync } from "node:zlib";
import { PlanError } from "../errors/planledger-error.ts";
import type { CallRecord, DecisionRecord } from "./decision-record.ts";
import { packHashes, unpackHashes } from "./packed-hashes.ts";
import type { Step, StepRef } from "./step.ts";
import { storedStep } from "./stored-step.ts";

const formatVersion = 2;
/** Hashes are in its JSON part, and deltas among its binary parts. */
const previousVersion = 1;
const compressionLevel = 6;
const lengthBytes = 4;

type StoredCall = Omit<CallRecord, "output"> & {
  readonly output: Omit<CallRecord["output"], "bytes"> & { readonly bytes: number };
};
type StoredDecision = Omit<DecisionRecord, "calls"> & { readonly calls: readonly StoredCall[] };
type StoredContent = readonly [
  sha256: string,
  /** Index of a binary part; of a delta, of the deltas. */
  part: number,
  delta?: { readonly base?: string; readonly inputsOf?: number; readonly depth: number },
];
interface StoredStep extends Omit<Step, "decisions" | "contents" | "contentAt"> {
  readonly decisions: readonly StoredDecision[];
  readonly contents: readonly StoredContent[];
  readonly contentAt: readonly (readonly [sha256: string, at: StepRef])[];
  readonly blobLengths: readonly number[];
  readonly deltaLengths?: readonly number[];
}

/**
 * A step as bytes: the format's version in the first byte; what does not compress, its length first (four bytes, big-endian):
 * the hashes of the JSON part, then the deltas; then one zstd frame that holds the length of the JSON part (four bytes), the
 * JSON part, and the binary parts (content, kept output) one after another. Binary parts are kept out of the JSON so that
 * any bytes go through unchanged and compress together with their like.
 */
export function encodeStep(step: Step): Uint8Array {
  const blobs: Uint8Array[] = [];
  const deltas: Uint8Array[] = [];
  const blob = (bytes: Uint8Array): number => blobs.push(bytes) - 1;
  const decisions = step.decisions.map((decision) => ({
    ...decision,
    calls: decision.calls.map((call) => ({
      ...call,
      output: { ...call.output, bytes: blob(call.output.bytes) },
    })),
  }));
  const contents = [...step.contents].map(([sha256, kept]): StoredContent => {
    if (kept.kind === "whole") {
      return [sha256, blob(kept.bytes)];
    }
    const { kind: _, bytes, ...over } = kept;
    return [sha256, deltas.push(bytes) - 1, over];
  });
  const stored: StoredStep = {
    ...step,
    decisions,
    contents,
    contentAt: [...step.contentAt],
    blobLengths: blobs.map((bytes) => bytes.length),
    deltaLengths: deltas.map((bytes) => bytes.length),
  };
  const { text, hashes } = packHashes(JSON.stringify(stored));
  const json = Buffer.from(text);
  const frame = zstdCompressSync(Buffer.concat([lengthOf(json), json, ...blobs]), {
    params: { [constants.ZSTD_c_compressionLevel]: compressionLevel },
  });
  const dense = Buffer.concat([hashes, ...deltas]);
  return Buffer.concat([Uint8Array.of(formatVersion), lengthOf(dense), dense, frame]);
}

function lengthOf(bytes: Uint8Array): Uint8Array {
  const length = Buffer.alloc(lengthBytes);
  length.writeUInt32BE(bytes.length);
  return length;
}

/** The parts of a stored step, of this format or of the one before. */
interface StepParts {
  readonly stored: StoredStep;
  readonly blobs: readonly Uint8Array[];
  readonly deltas: readonly Uint8Array[];
}

/** Reads what `encodeStep` wrote. Bytes of another format, or damaged ones, are an `internal` error, never a guess. */
export function decodeStep(bytes: Uint8Array): Step {
  const { stored: all, blobs, deltas } = partsOf(bytes);
  const { blobLengths: _, deltaLengths: __, ...stored } = all;
  const blob = (index: number): Uint8Array => part(blobs, index);
  return {
    ...stored,
    decisions: stored.decisions.map((decision) => ({
      ...decision,
      calls: decision.calls.map((call) => ({
        ...call,
        output: { ...call.output, bytes: blob(call.output.bytes) },
      })),
    })),
    contents: new Map(
      stored.contents.map(([sha256, index, delta]) => [
        sha256,
        delta === undefined
          ? { kind: "whole", bytes: blob(index) }
          : { kind: "delta", ...delta, bytes: part(deltas, index) },
      ]),
    ),
    contentAt: new Map(stored.contentAt),
  };
}

function partsOf(bytes: Uint8Array): StepParts {
  switch (bytes[0]) {
    case formatVersion: {
      const stored = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
      const denseFrom = 1 + lengthBytes;
      const denseEnd = denseFrom + (stored.length < denseFrom ? 0 : stored.readUInt32BE(1));
      const { text, blobBytes } = frameOf(stored.subarray(denseEnd));
      const dense = stored.subarray(denseFrom, denseEnd);
      const json = parseStored(whole(() => unpackHashes({ text, hashes: dense })));
      const deltaLengths = json.deltaLengths ?? [];
      const deltaBytes = dense.subarray(dense.length - deltaLengths.reduce((sum, one) => sum + one, 0));
      return {
        stored: json,
        blobs: split(blobBytes, json.blobLengths),
        deltas: split(deltaBytes, deltaLengths),
      };
    }
    case previousVersion: {
      const { text, blobBytes } = frameOf(bytes.subarray(1));
      const json = parseStored(text);
      const blobs = split(blobBytes, json.blobLengths);
      return { stored: json, blobs, deltas: blobs };
    }
    default:
      throw new PlanError({
        code: "internal",
        message: `A stored step has format ${bytes[0]}; this version reads ${formatVersion} and ${previousVersion}. Deploy the version that wrote it.`,
      });
  }
}

function frameOf(frame: Uint8Array): { readonly text: string; readonly blobBytes: Uint8Array } {
  const body = whole(() => zstdDecompressSync(frame));
  const jsonEnd = lengthBytes + body.readUInt32BE(0);
  return { text: body.toString("utf8", lengthBytes, jsonEnd), blobBytes: body.subarray(jsonEnd) };
}

/** What cannot be taken apart is damaged. */
function whole<Value>(read: () => Value): Value {
  try {
    return read();
  } catch (cause) {
    throw new PlanError({ code: "internal", message: "A stored step is damaged: it is not whole.", cause });
  }
}

function split(bytes: Uint8Array, lengths: readonly number[]): readonly Uint8Array[] {
  let offset = 0;
  return lengths.map((length) => {
    offset += length;
    return new Uint8Array(bytes.subarray(offset - length, offset));
  });
}

function part(parts: readonly Uint8Array[], index: number): Uint8Array {
  const found = parts[index];
  if (found === undefined) {
    throw new PlanError({ code: "internal", message: `A stored step lacks its binary part ${index}.` });
  }
  return found;
}

function parseStored(text: string): StoredStep {
  const json: unknown = JSON.parse(text);
  const checked = storedStep.safeParse(json);
  if (!checked.success) {
    throw new PlanError({
      code: "internal",
      message: `A stored step is damaged at ${checked.error.issues[0]?.path.join(".")}.`,
      cause: checked.error,
    });
  }
  // The value as it was read, not the checked copy: that lacks fields the schema does not know, which the hashes cover.
  return json as StoredStep;
}
