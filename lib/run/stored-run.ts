import * as z from "zod/mini";
import type { RunRecord } from "./run-record.ts";

const text = z.string();
const count = z.int().check(z.nonnegative());
export const checkpointSchema = z.object({ sha256: text, position: count });
/** A `RunRecord` without what its key says. */
export const storedRun: z.ZodMiniType<Omit<RunRecord, "v" | "tenant" | "planId" | "run">> = z.object({
  changesetId: text,
  requestedBy: text,
  requestedAtEpochMs: z.number(),
  list: z.discriminatedUnion("kind", [
    z.object({ kind: z.literal("all") }),
    z.object({ kind: z.literal("ranges"), ranges: z.array(z.tuple([count, count])) }),
    z.object({ kind: z.literal("stored"), sha256: text }),
  ]),
  decisionCount: count,
  startsFrom: z.object({
    chainHead: text,
    ledgerHead: text,
    lastSeq: count,
    checkpoint: z.exactOptional(checkpointSchema),
  }),
  correctionsSha256: z.exactOptional(text),
  autoApply: z.exactOptional(z.literal(true)),
});
