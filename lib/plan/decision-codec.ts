import * as z from "zod/mini";
import { canonicalJson } from "../canonical/canonical-json.ts";
import { InfrastructureError } from "../errors/planledger-error.ts";
import type { CompiledDecision, DecisionChunk } from "./compiled-plan.ts";

const ordinal = z.int().check(z.nonnegative());

export const compiledDecision = z.strictObject({
  ordinal,
  id: z.string(),
  parentId: z.exactOptional(z.string()),
  rationale: z.exactOptional(z.string()),
  dependsOn: z.array(ordinal),
  toolCalls: z.array(z.strictObject({ tool: z.string(), input: z.record(z.string(), z.unknown()) })),
});

export const decisionChunk = z.strictObject({
  firstOrdinal: ordinal,
  count: ordinal,
  sha256: z.string().check(z.regex(/^[0-9a-f]{64}$/)),
});

const encode = (value: unknown): Uint8Array => Buffer.from(canonicalJson(value));

function decode<Output>(schema: z.ZodMiniType<Output>, bytes: Uint8Array): Output {
  try {
    return z.parse(schema, JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(bytes)));
  } catch (cause) {
    throw new InfrastructureError({
      message: "A stored part of a plan cannot be read back.",
      code: "internal",
      cause,
    });
  }
}

/** Stored forms of a chunked plan's parts. What does not read back as it was written is an `InfrastructureError` (`internal`). */
export const decisionCodec = {
  /** Of decisions that are in their canonical form already; so is what comes out. */
  joinDecisions: (forms: readonly string[]): Uint8Array => Buffer.from(`[${forms.join(",")}]`),
  decodeDecisions: (bytes: Uint8Array): readonly CompiledDecision[] =>
    decode(z.array(compiledDecision), bytes),
  encodePage: (chunks: readonly DecisionChunk[]): Uint8Array => encode(chunks),
  decodePage: (bytes: Uint8Array): readonly DecisionChunk[] => decode(z.array(decisionChunk), bytes),
  encodeIds: (ids: readonly string[]): Uint8Array => encode(ids),
  decodeIds: (bytes: Uint8Array): readonly string[] => decode(z.array(z.string()), bytes),
};
