import { ValidationError } from "#lib/errors/planledger-error.ts";

/**
 * The revision that a write expects: from the body, `If-Match: "N"`, or `If-None-Match: *` for "there is none yet". Two that
 * differ are refused.
 */
export const expectedRevision = (
  headers: Readonly<Record<string, string | undefined>>,
  inBody: number | undefined,
): number | undefined => {
  const given = [inBody, fromIfMatch(headers["if-match"]), fromIfNoneMatch(headers["if-none-match"])].filter(
    (revision) => revision !== undefined,
  );
  const [first] = given;
  if (given.some((revision) => revision !== first)) {
    throw new ValidationError({
      field: "if-match",
      message: `The request expects different revisions: ${given.join(" and ")}. Name one.`,
    });
  }
  return first;
};

const fromIfMatch = (header: string | undefined): number | undefined => {
  if (header === undefined) return undefined;
  const found = /^\s*"(\d{1,10})"\s*$/.exec(header);
  if (found?.[1] !== undefined) return Number(found[1]);
  throw new ValidationError({
    field: "if-match",
    message: 'If-Match must be one revision in quotes, as ETag gave it: If-Match: "3".',
  });
};

const fromIfNoneMatch = (header: string | undefined): number | undefined => {
  if (header === undefined) return undefined;
  if (header.trim() === "*") return 0;
  throw new ValidationError({
    field: "if-none-match",
    message: "If-None-Match can only be *: write if there is none yet.",
  });
};
