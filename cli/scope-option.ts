import { InvalidArgumentError } from "commander";
import { ValidationError } from "#lib/errors/planledger-error.ts";
import { SyncScope } from "#lib/sync/sync-scope.ts";

/** Kinds with commas between, for commander: anything else is wrong usage. */
export function scopeOption(text: string): SyncScope {
  try {
    return SyncScope.of(text.split(",").map((kind) => kind.trim()));
  } catch (error) {
    if (error instanceof ValidationError) throw new InvalidArgumentError(error.message);
    throw error;
  }
}
