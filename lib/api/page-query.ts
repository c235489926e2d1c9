import * as z from "zod/mini";

/** A whole number in a query string, held to its bounds; OpenAPI shows it as an integer. */
export const queryInteger = (bounds: { readonly minimum: number; readonly maximum: number }) =>
  z.pipe(
    z.transform((value) => (typeof value === "string" && /^\d{1,9}$/.test(value) ? Number(value) : value)),
    z.int().check(z.minimum(bounds.minimum), z.maximum(bounds.maximum)),
  );

const opaqueCursor = z.string().check(z.minLength(1), z.maxLength(2048));

export const noQuery = z.strictObject({});

/** `limit` and `cursor` of a listing. */
export const pageQuery = (maximum: number) =>
  z.strictObject({
    limit: z.optional(queryInteger({ minimum: 1, maximum })),
    cursor: z.optional(opaqueCursor),
  });

/** The same, of one run of a plan. */
export const runPageQuery = (maximum: number) =>
  z.strictObject({
    limit: z.optional(queryInteger({ minimum: 1, maximum })),
    cursor: z.optional(opaqueCursor),
    run: z.optional(queryInteger({ minimum: 1, maximum: 999_999_999 })),
  });

export const runQuery = z.strictObject({
  run: z.optional(queryInteger({ minimum: 1, maximum: 999_999_999 })),
});
