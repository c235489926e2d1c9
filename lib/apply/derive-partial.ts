import { PlanError, ValidationError } from "../errors/planledger-error.ts";
import type { DecisionRecord } from "../run/decision-record.ts";
import type { TreeStore } from "../tree/tree-store.ts";
import { checkResource } from "./check-resource.ts";
import { decisionClosure, type LandedDecision } from "./decision-closure.ts";
import type { PartialChangeset } from "./derived-changeset.ts";
import { derivedDigest } from "./derived-digest.ts";
import { netEntries } from "./net-entries.ts";
import { writeHistory } from "./write-history.ts";

export interface PartialOptions {
  readonly planId: string;
  /** Digest of the sealed changeset. */
  readonly of: string;
  /**
   * The decisions that became final, in the order in which their entries stand in the changeset: plan order within a run, one
   * run after another. Those that did not land are there to be named.
   */
  readonly decisions: readonly Pick<DecisionRecord, "decisionId" | "outcome" | "entries" | "reads">[];
  /** Ids of the decisions that each one depends on, by its id. */
  readonly dependsOn: ReadonlyMap<string, readonly string[]>;
  /** Ids of the decisions asked for. */
  readonly only: readonly string[];
  /** The resource that is written, and the root of the tree that the run began with. */
  readonly base: { readonly resource: string; readonly tree: string };
  readonly trees: TreeStore;
}

/**
 * The changeset of chosen decisions and all that they need (`decisionClosure`): what these decisions, run alone from the base,
 * would have changed, entry by entry. An id that is unknown, or of a decision that did not land, is a `ValidationError` that
 * points to it (`/only/0`).
 */
export async function derivePartial(options: PartialOptions): Promise<PartialChangeset> {
  const { planId, of, base, trees, only } = options;
  const landed = options.decisions.filter(({ outcome }) => outcome.status === "landed");
  const positions = new Map(landed.map(({ decisionId }, position) => [decisionId, position]));
  const decisions = landed.map((decision) => withDependencies(decision, options.dependsOn, positions));
  const asked = askedPositions(options, positions);
  const history = writeHistory({ trees, base, decisions });
  const closure = await decisionClosure({ decisions, asked, resource: base.resource, history });
  const entries = closure.taken.flatMap((position) => decisions[position]?.entries ?? []);
  checkResource(entries, base.resource);
  // Throws where they do not chain.
  netEntries(entries, base.resource);
  const unsealed = {
    kind: "partial" as const,
    planId,
    of,
    baseTrees: { [base.resource]: base.tree },
    entries,
  };
  const chosen = new Set(only);
  return {
    v: 1,
    ...unsealed,
    only: landed.map(({ decisionId }) => decisionId).filter((id) => chosen.has(id)),
    added: closure.added,
    digest: derivedDigest(unsealed),
  };
}

function withDependencies(
  decision: PartialOptions["decisions"][number],
  dependsOn: PartialOptions["dependsOn"],
  positions: ReadonlyMap<string, number>,
): LandedDecision {
  const { decisionId, entries, reads } = decision;
  const needed = (dependsOn.get(decisionId) ?? []).map((id) => {
    const position = positions.get(id);
    if (position !== undefined) return position;
    throw new PlanError({
      code: "internal",
      message: `Decision ${decisionId} landed although it depends on ${id}, which did not.`,
      details: { decisionId, dependsOn: id },
    });
  });
  return { decisionId, entries, reads, dependsOn: needed };
}

function askedPositions(
  { only, decisions, dependsOn }: PartialOptions,
  positions: ReadonlyMap<string, number>,
): readonly number[] {
  if (only.length === 0) {
    throw new ValidationError({
      field: "/only",
      message: "/only names no decision. Name at least one that landed.",
    });
  }
  return only.map((id, index) => {
    const position = positions.get(id);
    if (position !== undefined) return position;
    const field = `/only/${index}`;
    const outcome = decisions.findLast(({ decisionId }) => decisionId === id)?.outcome;
    const isKnown = outcome !== undefined || dependsOn.has(id);
    throw new ValidationError({
      field,
      message: isKnown
        ? `${field} names decision ${id}, which did not land (${outcome?.status ?? "never ran"}), so it has no changes to apply. Leave it out.`
        : `${field} names decision ${JSON.stringify(id)}, which this plan does not have.`,
      details: { decisionId: id, ...(outcome === undefined ? {} : { outcome: outcome.status }) },
    });
  });
}
