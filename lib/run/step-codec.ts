import { constants, zstdCompressSync, zstdDecompressSync } from "node:zlib";
import { PlanError } from "../errors/planledger-error.ts";
import type { CallRecord, DecisionRecord } from "./decision-record.ts";
import type { Step, StepRef } from "./step.ts";
import { storedStep } from "./stored-step.ts";

const formatVersion = 1;
const compressionLevel = 6;

type StoredCall = Omit<CallRecord, "output"> & {
  readonly output: Omit<CallRecord["output"], "bytes"> & { readonly bytes: number };
};
type StoredDecision = Omit<DecisionRecord, "calls"> & { readonly calls: readonly StoredCall[] };
type StoredContent = readonly [
  sha256: string,
  blob: number,
  delta?: { readonly base: string; readonly depth: number },
];
interface StoredStep extends Omit<Step, "decisions" | "contents" | "contentAt"> {
  readonly decisions: readonly StoredDecision[];
  readonly contents: readonly StoredContent[];
  readonly contentAt: readonly (readonly [sha256: string, at: StepRef])[];
  readonly blobLengths: readonly number[];
}

/**
 * A step as bytes: the format's version in the first byte, then one zstd frame that holds the length of the JSON part (four
 * bytes, big-endian), the JSON part, and the binary parts (content, kept output) one after another. Binary parts are kept
 * out of the JSON so that any bytes go through unchanged and compress together with their like.
 */
export function encodeStep(step: Step): Uint8Array {
  const blobs: Uint8Array[] = [];
  const blob = (bytes: Uint8Array): number => blobs.push(bytes) - 1;
  const decisions = step.decisions.map((decision) => ({
    ...decision,
    calls: decision.calls.map((call) => ({
      ...call,
      output: { ...call.output, bytes: blob(call.output.bytes) },
    })),
  }));
  const contents = [...step.contents].map(([sha256, kept]): StoredContent => {
    const index = blob(kept.bytes);
    return kept.kind === "whole" ? [sha256, index] : [sha256, index, { base: kept.base, depth: kept.depth }];
  });
  const stored: StoredStep = {
    ...step,
    decisions,
    contents,
    contentAt: [...step.contentAt],
    blobLengths: blobs.map((bytes) => bytes.length),
  };
  const json = Buffer.from(JSON.stringify(stored));
  const length = Buffer.alloc(4);
  length.writeUInt32BE(json.length);
  const frame = zstdCompressSync(Buffer.concat([length, json, ...blobs]), {
    params: { [constants.ZSTD_c_compressionLevel]: compressionLevel },
  });
  return Buffer.concat([Uint8Array.of(formatVersion), frame]);
}

/** Reads what `encodeStep` wrote. Bytes of another format, or damaged ones, are an `internal` error, never a guess. */
export function decodeStep(bytes: Uint8Array): Step {
  if (bytes[0] !== formatVersion) {
    throw new PlanError({
      code: "internal",
      message: `A stored step has format ${bytes[0]}; this version reads ${formatVersion}. Deploy the version that wrote it.`,
    });
  }
  const body = zstdDecompressSync(bytes.subarray(1));
  const jsonEnd = 4 + body.readUInt32BE(0);
  const { blobLengths, ...stored } = parseStored(body.toString("utf8", 4, jsonEnd));
  const blobs: Uint8Array[] = [];
  let offset = jsonEnd;
  for (const length of blobLengths) {
    blobs.push(new Uint8Array(body.subarray(offset, offset + length)));
    offset += length;
  }
  const blob = (index: number): Uint8Array => {
    const found = blobs[index];
    if (found === undefined) {
      throw new PlanError({ code: "internal", message: `A stored step lacks its binary part ${index}.` });
    }
    return found;
  };
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
          : { kind: "delta", ...delta, bytes: blob(index) },
      ]),
    ),
    contentAt: new Map(stored.contentAt),
  };
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
