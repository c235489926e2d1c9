import type { DerivedChangeset } from "../apply/derived-changeset.ts";
import type { DerivedChangesetStore } from "../apply/derived-changeset-store.ts";
import { ConflictError } from "../errors/planledger-error.ts";
import type { ApplicableChangeset } from "../run/disposition.ts";
import { isEnded, requireSealed, superseded } from "../run/ended-run.ts";
import type { Frontier } from "../run/frontier.ts";
import type { FrontierStore } from "../run/run-store.ts";

/** A changeset of a plan; `derived` is absent for the sealed one, whose entries are the run's. */
export interface FoundChangeset extends ApplicableChangeset {
  readonly derived?: DerivedChangeset;
}

export interface FindPorts {
  readonly frontiers: Pick<FrontierStore, "read">;
  readonly derived: Pick<DerivedChangesetStore, "get">;
}

/** A derived changeset rarely stands on more than a few others. */
const maxDepth = 32;

/**
 * The changeset of a plan that a digest names, seen from the plan's latest run: the sealed one, or one derived from it, over
 * however many steps. A `ConflictError` else: `not_sealed` while the run goes on, `superseded` for one of an earlier run,
 * `digest_mismatch` for one that is nothing of this plan's.
 */
export async function findChangeset(
  ports: FindPorts,
  frontier: Frontier,
  digest: string,
): Promise<FoundChangeset> {
  if (isEnded(frontier) && frontier.state.digest === digest) return { digest, kind: "sealed", whole: true };
  const derived = await ports.derived.get({ ...frontier, digest });
  if (derived?.kind === "rollback") {
    return { digest, kind: "rollback", whole: false, undoes: derived.undoes, derived };
  }
  const source = derived === undefined ? { digest, whole: false } : await sourceOf(ports, frontier, derived);
  if (source.digest !== digest && isEnded(frontier) && source.digest === frontier.state.digest && derived) {
    return { digest, kind: derived.kind, whole: source.whole, derived };
  }
  const earlier = await runOfDigest(ports, frontier, source.digest);
  if (earlier !== undefined) {
    throw superseded({ planId: frontier.planId, digest, run: earlier.run, by: frontier.run });
  }
  const sealed = requireSealed(frontier).state.digest;
  throw new ConflictError({
    code: "digest_mismatch",
    message: `The changeset of plan ${frontier.planId} has the digest ${sealed}, and none derived from it has the digest ${digest}. Review what is there now, and send that digest.`,
    details: { digest: sealed, given: digest },
  });
}

/** The sealed changeset that a merge or a partial one stands on, and whether only merges lie between. */
async function sourceOf(
  { derived }: FindPorts,
  { tenant, planId }: Frontier,
  from: DerivedChangeset,
): Promise<{ readonly digest: string; readonly whole: boolean }> {
  let whole = from.kind === "merge";
  let digest = from.of;
  for (let depth = 0; depth < maxDepth; depth += 1) {
    const next = await derived.get({ tenant, planId, digest });
    if (next === undefined) break;
    whole &&= next.kind === "merge";
    digest = next.of;
  }
  return { digest, whole };
}

/** The frontier of an earlier run that was sealed under a digest. */
export async function runOfDigest(
  { frontiers }: Pick<FindPorts, "frontiers">,
  { tenant, planId, run }: Frontier,
  digest: string,
): Promise<Frontier | undefined> {
  for (let earlier = run - 1; earlier >= 1; earlier -= 1) {
    const frontier = await frontiers.read({ tenant, planId, run: earlier });
    if (frontier !== undefined && isEnded(frontier) && frontier.state.digest === digest) return frontier;
  }
  return undefined;
}
