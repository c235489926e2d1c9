import * as z from "zod/mini";
import { ValidationError } from "../errors/planledger-error.ts";
import type { Hint } from "./run-store.ts";

const count = z.int().check(z.nonnegative());
const hint = z.object({
  v: z.literal(1),
  tenant: z.string().check(z.minLength(1)),
  planId: z.string().check(z.minLength(1)),
  run: z.int().check(z.positive()),
  watch: z.optional(z.object({ worker: count, seen: count })),
});

/** The hint in a message's body. What is none is a `ValidationError` that quotes nothing of it. */
export const parseHint = (body: string): Hint => {
  const parsed = z.safeParse(hint, jsonOrNothing(body));
  if (!parsed.success) {
    throw new ValidationError({ field: "body", message: "A message on the decisions queue is not a hint." });
  }
  const { watch, ...rest } = parsed.data;
  return watch === undefined ? rest : { ...rest, watch };
};

const jsonOrNothing = (text: string): unknown => {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
};
