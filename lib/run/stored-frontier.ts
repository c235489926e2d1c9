import * as z from "zod/mini";
import type { Frontier } from "./frontier.ts";
import { phases } from "./phase.ts";
import { checkpointSchema } from "./stored-run.ts";
import { countsSchema, eventSchema } from "./stored-step.ts";

const text = z.string();
const count = z.int().check(z.nonnegative());
const signature = z.object({ algorithm: z.literal("Ed25519"), keyId: text, value: text });

const frontierState = z.discriminatedUnion("phase", [
  z.object({ phase: z.enum(["submitted", "running", "paused"]) }),
  z.object({ phase: z.literal("cancelling"), by: text, reason: z.exactOptional(text) }),
  z.object({
    phase: z.enum(["completed", "failed", "cancelled"]),
    digest: text,
    signature,
    sealedSeq: count,
    endedAtEpochMs: z.number(),
    continuedBy: z.exactOptional(count),
  }),
]);

const wanted = { ordinal: count, decisionId: text, digest: text };

const disposition = z.looseObject({
  approvals: z.array(
    z.object({ digest: text, verdict: z.enum(["approved", "rejected"]), by: text, atEpochMs: z.number() }),
  ),
  attempts: count,
  landed: z.array(z.looseObject({ digest: text, project: text, revision: count })),
  heads: z.array(z.object({ seq: count, ledgerHead: text, signature })),
  spills: z.array(z.object({ epoch: count, firstSeq: count, lastSeq: count })),
});

/** A `Frontier` without what its key and its own attributes say. */
export const storedFrontier = z.object({
  changesetId: text,
  epoch: count,
  state: frontierState,
  position: count,
  decisionCount: count,
  counts: countsSchema,
  chainHead: text,
  lastSeq: count,
  ledgerHead: text,
  controlEvents: z.array(eventSchema),
  checkpoint: z.exactOptional(checkpointSchema),
  intent: z.exactOptional(
    z.object({
      ordinal: count,
      callOrdinal: count,
      tool: text,
      inputSha256: text,
      idempotencyKey: text,
      deadlineEpochMs: z.number(),
    }),
  ),
  waitingFor: z.exactOptional(z.object(wanted)),
  release: z.exactOptional(z.object({ ...wanted, verdict: z.enum(["approved", "rejected"]), by: text })),
  suspect: z.exactOptional(z.object({ position: count, starts: count })),
  watch: z.exactOptional(count),
  failureSteps: z.array(count),
  units: z.object({
    steps: count,
    stepWriteUnits: z.number(),
    frontierMoves: count,
    contentPuts: count,
    hints: count,
    invocations: count,
    workMs: z.number(),
  }),
  startedAtEpochMs: z.exactOptional(z.number()),
  movedAtEpochMs: z.number(),
  nextCheckEpochSeconds: z.exactOptional(count),
  outbox: z.exactOptional(
    z.object({
      told: count,
      changes: z.array(
        z.object({
          sequence: count,
          phase: z.enum(phases),
          atEpochMs: z.number(),
          position: count,
          landed: count,
          failed: count,
          skipped: count,
        }),
      ),
    }),
  ),
  autoApply: z.exactOptional(z.literal(true)),
  disposition: z.exactOptional(
    z.custom<NonNullable<Frontier["disposition"]>>((value) => disposition.safeParse(value).success),
  ),
});
