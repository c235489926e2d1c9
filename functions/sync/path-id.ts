import * as z from "zod/mini";
import { parameter } from "#lib/api/endpoint.ts";
import { ValidationError } from "#lib/errors/planledger-error.ts";
import { resourceId } from "#lib/resource/resource-id.ts";
import type { ResourceKind } from "#lib/resource/resource-store.ts";
import { resourceNotFound, resourceNoun } from "#lib/service/resource-revisions.ts";

interface Parameters {
  readonly parameters: Readonly<Record<string, string>>;
}

const pathId = (request: Parameters): string =>
  `${parameter(request, "namespace")}/${parameter(request, "name")}`;

/** The id in a path that is read, in NFC. Under what cannot be an id there is nothing. */
export const readId = (request: Parameters, kind: ResourceKind): string => {
  const id = z.safeParse(resourceId, pathId(request));
  if (id.success) return id.data;
  throw resourceNotFound({ kind, id: pathId(request) });
};

/** The id in a path that is written, in NFC. */
export const writtenId = (request: Parameters, kind: ResourceKind): string => {
  const id = pathId(request);
  const parsed = z.safeParse(resourceId, id);
  if (parsed.success) return parsed.data;
  throw new ValidationError({
    field: resourceNoun(kind),
    message: `The id ${id} ${parsed.error.issues[0]?.message ?? "is not valid"}.`,
  });
};
