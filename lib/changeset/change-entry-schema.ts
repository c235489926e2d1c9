import * as z from "zod/mini";

const hex = (length: number) => z.string().check(z.regex(new RegExp(`^[0-9a-f]{${length}}$`)));
const fileState = z.nullable(
  z.strictObject({
    sha256: hex(64),
    sizeBytes: z.int().check(z.nonnegative()),
    mode: z.enum(["100644", "100755", "120000"]),
    gitBlobId: hex(40),
  }),
);

/** A change entry as untyped code may hand it in. */
export const changeEntrySchema = z
  .strictObject({
    decisionId: z.string().check(z.minLength(1)),
    callOrdinal: z.int().check(z.nonnegative()),
    resource: z.string().check(z.minLength(1)),
    path: z.string().check(z.minLength(1)),
    kind: z.enum(["create", "modify", "delete", "mode", "type"]),
    before: fileState,
    after: fileState,
  })
  .check(
    z.refine((entry) => entry.before !== null || entry.after !== null, {
      path: ["after"],
      error: "an entry needs a state before or after; a path absent on both sides is no change",
    }),
  );
