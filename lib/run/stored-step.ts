import * as z from "zod/mini";
import { errorCodes } from "../errors/error-code.ts";

const text = z.string();
const integer = z.int();

export const fileStateSchema = z.object({
  sha256: text,
  sizeBytes: integer,
  mode: z.enum(["100644", "100755", "120000"]),
  gitBlobId: text,
});
export const failureSchema = z.object({
  code: z.enum(errorCodes),
  message: text,
  details: z.exactOptional(z.record(text, z.unknown())),
});
export const entrySchema = z.object({
  decisionId: text,
  callOrdinal: integer,
  resource: text,
  path: text,
  kind: z.enum(["create", "modify", "delete", "mode", "type"]),
  before: z.nullable(fileStateSchema),
  after: z.nullable(fileStateSchema),
});
const call = z.object({
  callOrdinal: integer,
  tool: text,
  inputSha256: text,
  status: z.enum(["succeeded", "failed"]),
  failure: z.exactOptional(failureSchema),
  output: z.object({ bytes: integer, sizeBytes: integer, truncated: z.boolean(), sha256: text }),
  durationMs: z.number(),
});
const read = z.discriminatedUnion("kind", [
  z.object({
    kind: z.literal("node"),
    resource: text,
    path: text,
    found: z.nullable(
      z.object({
        type: z.enum(["file", "symlink", "directory"]),
        sha256: z.exactOptional(text),
        mode: z.exactOptional(text),
      }),
    ),
  }),
  z.object({ kind: z.literal("names"), resource: text, path: text, sha256: text }),
  z.object({ kind: z.literal("subtree"), resource: text, path: text, sha256: text }),
]);
export const outcomeSchema = z.discriminatedUnion("status", [
  z.object({ status: z.literal("landed") }),
  z.object({ status: z.literal("failed"), failure: failureSchema, callOrdinal: z.exactOptional(integer) }),
  z.object({ status: z.literal("skipped"), because: z.array(text) }),
]);
const decision = z.object({
  ordinal: integer,
  decisionId: text,
  outcome: outcomeSchema,
  calls: z.array(call),
  entries: z.array(entrySchema),
  reads: z.array(read),
  startedAtEpochMs: integer,
  durationMs: z.number(),
});

export const eventSchema = z.object({
  seq: integer,
  type: z.enum([
    "runtime_execute_started",
    "runtime_execute_step",
    "runtime_execute_skipped",
    "runtime_execute_failed",
    "runtime_execute_paused",
    "runtime_execute_resumed",
    "runtime_execute_cancelled",
    "runtime_execute_complete",
    "decision_approved",
    "decision_rejected",
    "changeset_approved",
    "changeset_rejected",
    "changeset_apply_started",
    "changeset_applied",
    "changeset_apply_failed",
    "changeset_rolled_back",
  ]),
  run: integer,
  atEpochMs: integer,
  by: text,
  decisionId: z.exactOptional(text),
  ordinal: z.exactOptional(integer),
  reason: z.exactOptional(text),
  recordSha256: z.exactOptional(text),
  digest: z.exactOptional(text),
  undoes: z.exactOptional(text),
  project: z.exactOptional(text),
  revision: z.exactOptional(integer),
  ledgerHead: text,
});
const signedHead = z.object({
  seq: integer,
  ledgerHead: text,
  signature: z.object({ algorithm: z.literal("Ed25519"), keyId: text, value: text }),
});

export const countsSchema = z.object({
  landed: integer,
  failed: integer,
  skipped: integer,
  toolCalls: integer,
  entries: integer,
});

export const stepRefSchema = z.object({ run: integer, from: integer, epoch: integer });

/**
 * The JSON part of a stored step. Bytes are numbers here: indexes of the binary parts, whose lengths stand in `blobLengths`.
 * The codec validates by this schema and keeps fields that it does not know, since the ledger's hashes cover them.
 */
export const storedStep = z.object({
  v: z.literal(1),
  run: integer,
  from: integer,
  epoch: integer,
  decisions: z.array(decision),
  events: z.array(eventSchema),
  contents: z.array(
    z.union([
      z.tuple([text, integer]),
      z.tuple([
        text,
        integer,
        z.object({ base: z.exactOptional(text), inputsOf: z.exactOptional(integer), depth: integer }),
      ]),
    ]),
  ),
  contentAt: z.array(z.tuple([text, stepRefSchema])),
  counts: countsSchema,
  chainHead: text,
  ledgerHead: text,
  writtenBy: text,
  heads: z.exactOptional(z.array(signedHead)),
  blobLengths: z.array(integer),
  deltaLengths: z.exactOptional(z.array(integer)),
});
