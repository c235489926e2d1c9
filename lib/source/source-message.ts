import * as z from "zod/mini";
import { ValidationError } from "../errors/planledger-error.ts";
import type { TimedKey } from "../schedule/timed-record.ts";

/** Sends word to the worker that a source is due. It may come twice, late, or never: the source's record says what is to be done. */
export interface SourceQueue {
  send(source: TimedKey): Promise<void>;
}

const message = z.object({ v: z.literal(1), tenant: z.string(), name: z.string() });

export const sourceMessage = ({ tenant, name }: TimedKey): string => JSON.stringify({ v: 1, tenant, name });

/** Throws `ValidationError` for what is no such message. */
export function parseSourceMessage(body: string): TimedKey {
  let value: unknown;
  try {
    value = JSON.parse(body);
  } catch {
    value = undefined;
  }
  const parsed = message.safeParse(value);
  if (parsed.success) return { tenant: parsed.data.tenant, name: parsed.data.name };
  throw new ValidationError({
    field: "message",
    message: "The message is none about a sync source: it must be { v: 1, tenant, name }.",
  });
}
