import type { ChangeEntry } from "../changeset/change-entry.ts";
import { ValidationError } from "../errors/planledger-error.ts";

/** A plan writes to one resource; entries of another one do not belong to the target (`ValidationError`). */
export function checkResource(entries: readonly ChangeEntry[], resource: string): void {
  const foreign = entries.find((entry) => entry.resource !== resource);
  if (foreign === undefined) return;
  throw new ValidationError({
    field: "target.resource",
    code: "unknown_resource",
    message: `The changeset has entries of the resource ${JSON.stringify(foreign.resource)}, but its target is ${JSON.stringify(resource)}. A plan is applied to the one resource that it writes.`,
    details: { resource: foreign.resource, target: resource },
  });
}
