import * as z from "zod/mini";

const hash = z.string().check(z.regex(/^[0-9a-f]{64}$/, "must be 64 lower-case hex digits"));
const number = z.int().check(z.positive());

/** Base64 of 64 bytes. */
const signature = z.strictObject({
  algorithm: z.literal("Ed25519"),
  keyId: hash,
  value: z.string().check(z.regex(/^[A-Za-z0-9+/]{86}==$/, "must be the base64 of 64 bytes")),
});

const header = z.strictObject({
  kind: z.literal("header"),
  v: z.literal(1),
  planId: z.string().check(z.minLength(1)),
  documentSha256: hash,
  /** The pinned tree of each resource, by its name. */
  baseTrees: z.record(z.string(), hash),
  /** Where the two chains begin: the head before record 1, and H₀ of the changeset. Both follow from the rest. */
  ledgerHead: hash,
  chainHead: hash,
});

/** Fields that this version does not know stay: the chain covers them, whatever they mean. */
const event = z.looseObject({
  seq: number,
  type: z.string().check(z.minLength(1)),
  run: number,
  decisionId: z.exactOptional(z.string()),
  ordinal: z.exactOptional(z.int()),
  recordSha256: z.exactOptional(hash),
  digest: z.exactOptional(hash),
  ledgerHead: hash,
});

const record = z.strictObject({
  kind: z.literal("record"),
  event,
  /** What the event's `recordSha256` covers: a decision's record or a run's, as they are hashed. */
  record: z.exactOptional(z.unknown()),
});

const seal = z.strictObject({
  kind: z.literal("seal"),
  run: number,
  digest: hash,
  seq: number,
  ledgerHead: hash,
  signature,
});

const head = z.strictObject({ kind: z.literal("head"), seq: number, ledgerHead: hash, signature });

const end = z.strictObject({
  kind: z.literal("end"),
  seq: z.int().check(z.nonnegative()),
  ledgerHead: hash,
});

const body = [header, record, seal, head] as const;

/**
 * One line of a plan's ledger: the header first, then the records in order, each signed head right behind the record that
 * it covers (`seal` where a run ended, `head` for each record that came after the run's seal).
 */
export const ledgerBodyLineSchema = z.discriminatedUnion("kind", body);
export type LedgerBodyLine = z.infer<typeof ledgerBodyLineSchema>;

/** A line of an exported ledger, which closes with `end`, so that a file that was cut short shows it. */
export const ledgerLineSchema = z.discriminatedUnion("kind", [...body, end]);
export type LedgerLine = z.infer<typeof ledgerLineSchema>;
export type LedgerLineOf<Kind extends LedgerLine["kind"]> = Extract<LedgerLine, { readonly kind: Kind }>;
