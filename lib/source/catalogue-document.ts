import * as z from "zod/mini";
import { parseStrictJson } from "../canonical/parse-strict-json.ts";
import { ValidationError } from "../errors/planledger-error.ts";
import { validationErrorOf, validationIssues } from "../errors/validation-issue.ts";
import { resourceId } from "../resource/resource-id.ts";
import { resourceKinds } from "../resource/resource-store.ts";
import { maxFileSizeBytes } from "../tree/file-limit.ts";

/** Of a catalogue: bytes, and entries that it may have. */
export const catalogueLimits = { bytes: 16 * 1024 * 1024, items: 10_000, files: 20_000 } as const;

const sha256 = z.string().check(z.regex(/^[0-9a-f]{64}$/, "must be a SHA-256, 64 digits of lower-case hex"));
const url = z.string().check(z.minLength(1), z.maxLength(2048));
const mode = z._default(z.enum(["100644", "100755", "120000"]), "100644");
const path = z.string().check(z.minLength(1), z.maxLength(1024));

/** A file of a project: as text, in base64, or at a URL, for which all that a tree says of it is stated. */
export const catalogueFile = z.union([
  z.strictObject({ path, mode, text: z.string() }),
  z.strictObject({
    path,
    mode,
    base64: z.string().check(
      z.regex(/^[A-Za-z0-9+/]*={0,2}$/, "must be base64"),
      // Those of one character more would be decoded without it.
      z.refine((text) => text.replace(/=+$/, "").length % 4 !== 1, "must be whole base64"),
    ),
  }),
  z.strictObject({
    path,
    mode,
    url,
    sha256,
    sizeBytes: z.int().check(z.minimum(0), z.maximum(maxFileSizeBytes)),
    gitBlobId: z
      .string()
      .check(z.regex(/^[0-9a-f]{40}$/, "must be git's id of the blob, 40 digits of lower-case hex")),
  }),
]);
export type CatalogueFile = z.output<typeof catalogueFile>;

const kind = z.enum(resourceKinds);
const files = z.optional(z.array(catalogueFile).check(z.maxLength(catalogueLimits.files)));

/** An item: its document itself, or where it is and the hash of its bytes. `files` are those of a project. */
export const catalogueItem = z.union([
  z.strictObject({ kind, document: z.record(z.string(), z.unknown()), files }),
  z.strictObject({
    kind,
    id: resourceId,
    version: z.string().check(z.minLength(1), z.maxLength(128)),
    url,
    sha256,
    files,
  }),
]);
export type CatalogueItem = z.output<typeof catalogueItem>;

const catalogueDocument = z.strictObject({
  planledgerCatalogue: z.literal(1),
  items: z.array(z.unknown()).check(z.maxLength(catalogueLimits.items)),
});

/**
 * A catalogue's entries, each still to be read: what is wrong with one is not the others' fault. Throws `ValidationError` for
 * bytes that are no catalogue.
 */
export function parseCatalogue(bytes: Uint8Array): readonly unknown[] {
  const value = parseStrictJson(bytes);
  const parsed = z.safeParse(catalogueDocument, value);
  if (parsed.success) return parsed.data.items;
  const issues = validationIssues(parsed.error.issues, { value, schema: catalogueDocument });
  const { field, message, details } = validationErrorOf(issues, 5);
  throw new ValidationError({ field, message: `The catalogue is none of version 1: ${message}`, details });
}

export type ReadEntry =
  | { readonly status: "item"; readonly item: CatalogueItem }
  | { readonly status: "fault"; readonly field: string; readonly reason: string };

/** One entry, or what is wrong with it. */
export function readEntry(value: unknown): ReadEntry {
  const parsed = z.safeParse(catalogueItem, value);
  if (parsed.success) return { status: "item", item: parsed.data };
  // Of the two forms, that whose telling member it has.
  const form = catalogueItem._zod.def.options[isObject(value) && Object.hasOwn(value, "document") ? 0 : 1];
  const issues = form === undefined ? [] : (z.safeParse(form, value).error?.issues ?? []);
  const [first] = validationIssues(issues, { value });
  return {
    status: "fault",
    field: first?.field ?? "",
    reason: `${first?.field ?? ""} ${first?.message ?? "is not valid"}`.trim(),
  };
}

const isObject = (value: unknown): value is object => typeof value === "object" && value !== null;
