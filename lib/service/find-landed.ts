import { ConflictError } from "../errors/planledger-error.ts";
import type { LandedChangeset } from "../run/disposition.ts";
import type { Frontier } from "../run/frontier.ts";
import type { FrontierStore } from "../run/run-store.ts";

/**
 * The changeset of a digest as it stands applied, and the run that it is of: the latest one, or one before it, as long as no
 * later run has taken it back. Else `not_applied`. A rollback does not stand applied: what it undid stands no longer.
 */
export const requireLanded = async (
  ports: { readonly frontiers: Pick<FrontierStore, "read"> },
  latest: Frontier,
  of: string,
): Promise<{ readonly landed: LandedChangeset; readonly frontier: Frontier }> => {
  const { tenant, planId } = latest;
  for (let run = latest.run; run >= 1; run -= 1) {
    const frontier = run === latest.run ? latest : await ports.frontiers.read({ tenant, planId, run });
    const landed = frontier?.disposition?.landed ?? [];
    const found = landed.find(({ digest, kind }) => digest === of && kind !== "rollback");
    if (frontier !== undefined && found !== undefined) return { landed: found, frontier };
    if (landed.some(({ undoes }) => undoes === of)) break;
  }
  throw new ConflictError({
    code: "not_applied",
    message: `The changeset ${of} does not stand applied, so there is nothing to roll back.`,
    details: {
      of,
      applied:
        latest.disposition?.landed.filter(({ kind }) => kind !== "rollback").map(({ digest }) => digest) ??
        [],
    },
  });
};
