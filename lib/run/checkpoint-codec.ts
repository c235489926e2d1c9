import { zstdCompressSync, zstdDecompressSync } from "node:zlib";
import * as z from "zod/mini";
import { PlanError } from "../errors/planledger-error.ts";
import { fileStateSchema, stepRefSchema } from "./stored-step.ts";

const checkpointSchema = z.object({
  v: z.literal(1),
  /** The run that wrote it; `notLanded` counts for that run only. */
  run: z.int(),
  /** Older segments, oldest first; together with this one they are the state. */
  older: z.array(z.string()),
  /**
   * Keys of this segment: overlay entries `[resource, path, state, step, depth]`, in the order in which paths were first
   * touched. `depth` is that of the content in the step; earlier versions did not write it.
   */
  entries: z.array(
    z.tuple([
      z.string(),
      z.string(),
      z.nullable(fileStateSchema),
      z.nullable(stepRefSchema),
      z.optional(z.int()),
    ]),
  ),
  notLanded: z.array(z.tuple([z.int(), z.string()])),
});

/** One segment of a run's state, as it lies in the content store. */
export type Checkpoint = z.infer<typeof checkpointSchema>;

export function encodeCheckpoint(checkpoint: Checkpoint): Uint8Array {
  return zstdCompressSync(JSON.stringify(checkpoint));
}

export function decodeCheckpoint(bytes: Uint8Array): Checkpoint {
  const json: unknown = JSON.parse(zstdDecompressSync(bytes).toString("utf8"));
  const checked = checkpointSchema.safeParse(json);
  if (!checked.success) {
    throw new PlanError({
      code: "internal",
      message: `A stored checkpoint is damaged at ${checked.error.issues[0]?.path.join(".")}.`,
      cause: checked.error,
    });
  }
  return checked.data;
}
