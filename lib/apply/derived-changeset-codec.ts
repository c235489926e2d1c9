import { zstdCompressSync, zstdDecompressSync } from "node:zlib";
import * as z from "zod/mini";
import { changeEntrySchema } from "../changeset/change-entry-schema.ts";
import { PlanError } from "../errors/planledger-error.ts";
import type { DerivedChangeset } from "./derived-changeset.ts";
import { derivedDigest } from "./derived-digest.ts";

const sha256 = z.string().check(z.regex(/^[0-9a-f]{64}$/));
const id = z.string().check(z.minLength(1));

const derivedFrom = {
  v: z.literal(1),
  planId: id,
  of: sha256,
  baseTrees: z.record(z.string(), sha256),
  entries: z.array(changeEntrySchema),
  digest: sha256,
  derivedBy: z.optional(id),
};

const added = z.strictObject({
  decisionId: id,
  neededBy: id,
  because: z.discriminatedUnion("kind", [
    z.strictObject({ kind: z.literal("depends_on") }),
    z.strictObject({ kind: z.literal("path"), resource: id, path: z.string() }),
  ]),
});

const externalEffect = z.strictObject({
  decisionId: id,
  callOrdinal: z.int().check(z.nonnegative()),
  tool: id,
  outcome: z.enum(["succeeded", "unknown"]),
});

/** A derived changeset as it is stored and sent. */
export const derivedChangesetSchema = z.discriminatedUnion("kind", [
  z.strictObject({ kind: z.literal("merge"), ...derivedFrom }),
  z.strictObject({ kind: z.literal("partial"), ...derivedFrom, only: z.array(id), added: z.array(added) }),
  z
    .strictObject({
      kind: z.literal("rollback"),
      ...derivedFrom,
      undoes: sha256,
      externalEffects: z.array(externalEffect),
    })
    .check(
      z.refine((rollback) => rollback.undoes === rollback.of, {
        path: ["undoes"],
        error: "must be the digest in 'of'",
      }),
    ),
]);

/** Compressed JSON. */
export function encodeDerivedChangeset(changeset: DerivedChangeset): Uint8Array {
  return zstdCompressSync(JSON.stringify(changeset));
}

/** Reads what `encodeDerivedChangeset` wrote, and holds it to its digest: a damaged one is an `internal` error, never applied. */
export function decodeDerivedChangeset(bytes: Uint8Array): DerivedChangeset {
  const json: unknown = parsed(bytes);
  const checked = derivedChangesetSchema.safeParse(json);
  if (!checked.success) {
    throw damaged(`at /${checked.error.issues[0]?.path.join("/") ?? ""}`, checked.error);
  }
  const digest = derivedDigest(checked.data);
  if (digest !== checked.data.digest) {
    throw damaged(`(its digest is ${digest}, and it says ${checked.data.digest})`);
  }
  return checked.data;
}

function parsed(bytes: Uint8Array): unknown {
  try {
    return JSON.parse(zstdDecompressSync(bytes).toString("utf8"));
  } catch (error) {
    throw damaged("and cannot be read", error);
  }
}

function damaged(where: string, cause?: unknown): PlanError {
  return new PlanError({
    code: "internal",
    message: `A stored derived changeset is damaged ${where}. Make it again from its source.`,
    cause,
  });
}
