import * as z from "zod/mini";
import { PlanledgerError } from "../errors/planledger-error.ts";
import { pathRefusal, refusalReason } from "../tree/path-rules.ts";
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

/**
 * Reads the journal that stands at `place`. A directory may come from anybody, and its journal with it: one that no apply can
 * have written, with a path that leads out of the directory or into git's own folder above all, is `content_mismatch`.
 */
export function decodeJournal(bytes: Uint8Array, place: string): DirectoryJournal {
  const parsed = z.safeParse(journal, parseJson(bytes));
  if (!parsed.success) throw notOurs(place, "it is damaged, or of another version");
  for (const { path } of parsed.data.changes) {
    const refusal = pathRefusal(path);
    if (refusal !== undefined) {
      throw notOurs(place, `of the path ${JSON.stringify(path)}: ${refusalReason(refusal)}`);
    }
    if (isOwnPath(path)) {
      throw notOurs(place, `it would write ${JSON.stringify(path)}, which lies in the folder of the journal`);
    }
  }
  return parsed.data;
}

const isOwnPath = (path: string): boolean => path.split("/")[0]?.toLowerCase() === ".planledger";

function parseJson(bytes: Uint8Array): unknown {
  try {
    return JSON.parse(Buffer.from(bytes).toString("utf8"));
  } catch {
    return undefined;
  }
}

const notOurs = (place: string, why: string): PlanledgerError =>
  new PlanledgerError({
    code: "content_mismatch",
    message: `${place} is not the journal of an apply (${why}), so nothing was changed; look at the directory's files, and remove the folder that the journal lies in`,
    details: { journal: place },
  });
