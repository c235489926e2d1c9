import * as z from "zod/mini";
import { ValidationError } from "../errors/planledger-error.ts";

const sealedCursor = z.tuple([z.literal(1), z.string(), z.unknown()]);

/**
 * Cursors are opaque to callers: base64url of a version, the listing they belong to, and a position. They are no secret
 * and no authority: whatever one says, tenant and plan come from the request, and its position is validated.
 */
export const encodeCursor = (listing: string, position: unknown): string =>
  Buffer.from(JSON.stringify([1, listing, position])).toString("base64url");

/** The position in a cursor of this very listing; anything else is a `ValidationError` on `cursor`. */
export const decodeCursor = <Schema extends z.ZodMiniType>(
  cursor: string,
  listing: string,
  position: Schema,
): z.output<Schema> => {
  const refusal = () =>
    new ValidationError({
      field: "cursor",
      message:
        "cursor is not one that this listing gave out; pass back the cursor of the last page as it was, or none to start over.",
    });
  let parsed: unknown;
  try {
    parsed = JSON.parse(Buffer.from(cursor, "base64url").toString("utf8"));
  } catch {
    throw refusal();
  }
  const opened = z.safeParse(sealedCursor, parsed);
  if (!opened.success || opened.data[1] !== listing) throw refusal();
  const found = z.safeParse(position, opened.data[2]);
  if (!found.success) throw refusal();
  return found.data;
};
