import * as z from "zod/mini";
import { ValidationError } from "../errors/planledger-error.ts";
import type { DeliveryMessage } from "./delivery.ts";

const count = z.int().check(z.nonnegative());
const text = z.string().check(z.minLength(1));
const message = z.object({
  v: z.literal(1),
  tenant: text,
  listener: text,
  atEpochSeconds: count,
  planId: text,
  sequence: count,
  attempt: count,
});

/** The hint in a message's body. What is none is a `ValidationError` that quotes nothing of it. */
export const parseDeliveryMessage = (body: string): DeliveryMessage => {
  try {
    return message.parse(JSON.parse(body));
  } catch {
    throw new ValidationError({
      field: "body",
      message: "A message on the deliveries queue is none of ours.",
    });
  }
};
