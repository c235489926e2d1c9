import * as z from "zod/mini";
import type { NetChange } from "./net-change.ts";

const fileState = z.strictObject({
  sha256: z.string(),
  sizeBytes: z.number(),
  mode: z.enum(["100644", "100755", "120000"]),
  gitBlobId: z.string(),
});

const journal = z.strictObject({
  v: z.literal(1),
  digest: z.string(),
  changes: z.array(
    z.strictObject({ path: z.string(), before: z.nullable(fileState), after: z.nullable(fileState) }),
  ),
});

/** The promise of an apply to a directory: once it is on the disk, the apply is finished, by whoever comes next. */
export interface DirectoryJournal {
  readonly v: 1;
  readonly digest: string;
  readonly changes: readonly NetChange[];
}

export function encodeJournal(value: DirectoryJournal): Uint8Array {
  return Buffer.from(`${JSON.stringify(value)}\n`, "utf8");
}

export function decodeJournal(bytes: Uint8Array): DirectoryJournal {
  return z.parse(journal, JSON.parse(Buffer.from(bytes).toString("utf8")));
}
