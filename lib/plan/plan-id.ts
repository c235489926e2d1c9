import * as z from "zod/mini";

export const identifierPattern = /^[A-Za-z0-9][A-Za-z0-9._-]{0,127}$/;

export const identifierRule =
  "1 to 128 letters (A–Z, a–z), digits, '.', '_' or '-', the first a letter or a digit";

/** The prefix of ids that the service gives itself (`pln_` and a ULID); no caller's plan id starts so. */
export const serverPlanIdPrefix = "pln_";

/** A plan id as a caller may choose it. */
export const planId = z.string().check(
  z.regex(identifierPattern, `must be ${identifierRule}`),
  z.refine(
    (id) => !isServerPlanId(id),
    `must not start with '${serverPlanIdPrefix}', which is reserved for ids that the service gives`,
  ),
);

export const isServerPlanId = (id: string): boolean => id.startsWith(serverPlanIdPrefix);
