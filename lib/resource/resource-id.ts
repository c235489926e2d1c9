import * as z from "zod/mini";

/** `namespace/name`; other normal forms of the same id are taken as that id. */
export const resourceId = z
  .string()
  .check(
    z.normalize("NFC"),
    z.regex(
      /^[\p{L}\p{M}\p{Nd}._-]{1,64}\/[\p{L}\p{M}\p{Nd}._-]{1,64}$/u,
      "must be 'namespace/name', each part 1 to 64 letters, digits, '.', '_' or '-'",
    ),
  );
