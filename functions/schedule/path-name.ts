import * as z from "zod/mini";
import type { Caller } from "#lib/access/caller.ts";
import { parameter } from "#lib/api/endpoint.ts";
import { timedName } from "#lib/api/schedule-requests.ts";
import { ValidationError } from "#lib/errors/planledger-error.ts";
import type { TimedKey } from "#lib/schedule/timed-record.ts";
import { timedNotFound } from "#lib/service/change-timed-record.ts";

interface NamedRequest {
  readonly caller: Caller;
  readonly parameters: Readonly<Record<string, string>>;
}

/** The record that a path names; under what can be no name there is none. */
export const timedKey = (request: NamedRequest, noun: Parameters<typeof timedNotFound>[0]): TimedKey => {
  const name = parameter(request, "name");
  if (!z.safeParse(timedName, name).success) throw timedNotFound(noun, { name });
  return { tenant: request.caller.tenant, name };
};

/** The record that is to be written under a name. */
export const writtenTimedKey = (request: NamedRequest): TimedKey => {
  const name = parameter(request, "name");
  const parsed = z.safeParse(timedName, name);
  if (parsed.success) return { tenant: request.caller.tenant, name };
  throw new ValidationError({
    field: "name",
    message: `The name ${JSON.stringify(name.slice(0, 100))} ${parsed.error.issues[0]?.message ?? "is not valid"}.`,
  });
};
