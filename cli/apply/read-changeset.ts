import type { DerivedPageReply } from "#lib/api/apply-replies.ts";
import type { DecisionReply, EntryReply, PlanStatusReply } from "#lib/api/plan-replies.ts";
import { derivedDigest } from "#lib/apply/derived-digest.ts";
import type { NetChange } from "#lib/apply/net-change.ts";
import { netEntries } from "#lib/apply/net-entries.ts";
import { initialDigest, nextDigest } from "#lib/changeset/digest.ts";
import type { PlanledgerClient } from "#lib/client/planledger-client.ts";
import { ConflictError, NotFoundError, PlanledgerError } from "#lib/errors/planledger-error.ts";
import { checkPath } from "#lib/tree/path-rules.ts";
import { requireSealed } from "./directory-gate.ts";

/** A changeset as it is applied, everything in it proven by its digest, whoever sent it. */
export interface ReadChangeset {
  readonly digest: string;
  readonly kind: "sealed" | "merge" | "partial" | "rollback";
  readonly changes: readonly NetChange[];
  /** What a path holds after it; hashed again. */
  content(sha256: string): Promise<Uint8Array>;
}

interface Source {
  readonly client: Pick<PlanledgerClient, "changeset" | "decisions" | "derived" | "planContent"> & {
    readonly content: Pick<PlanledgerClient["content"], "get">;
  };
  readonly signal: AbortSignal;
}

/** Reads the changeset of a digest: the sealed one of the plan's latest run, or one derived from it. */
export async function readChangeset(
  { client, signal }: Source,
  status: PlanStatusReply,
  digest: string,
): Promise<ReadChangeset> {
  const { planId } = status;
  if (requireSealed(status) !== digest) return readDerived({ client, signal }, status, digest);
  const entries = await readSealed({ client, signal }, status, digest);
  return {
    digest,
    kind: "sealed",
    changes: changesOf(entries),
    content: (sha256) => client.planContent({ planId, sha256, signal }),
  };
}

/** The entries of all decisions that landed, in the order of the digest: run by run, each in plan order. */
async function readSealed(
  { client, signal }: Source,
  { planId }: PlanStatusReply,
  digest: string,
): Promise<readonly EntryReply[]> {
  let baseTrees: Readonly<Record<string, string>> = {};
  for await (const page of client.changeset({ planId, limit: 1, signal })) {
    ({ baseTrees } = page);
    break;
  }
  const landed: DecisionReply[] = [];
  for await (const decision of client.decisions({ planId, limit: 100, signal })) {
    if (decision.status === "landed") landed.push(decision);
  }
  landed.sort((one, other) => one.run - other.run || one.ordinal - other.ordinal);
  const whole = landed.some(({ entriesLeftOut }) => entriesLeftOut !== undefined)
    ? await withAllEntries({ client, signal }, planId, landed)
    : landed;
  const found = whole.reduce(nextDigest, initialDigest(planId, baseTrees));
  if (found !== digest) throw notWhatItSays(digest, found);
  return whole.flatMap(({ entries }) => entries);
}

/** A decision with more entries than a reply holds has the rest of them in the changeset's pages; it landed once. */
async function withAllEntries(
  { client, signal }: Source,
  planId: string,
  landed: readonly DecisionReply[],
): Promise<readonly DecisionReply[]> {
  const byDecision = new Map<string, EntryReply[]>(landed.map(({ decisionId }) => [decisionId, []]));
  for await (const page of client.changeset({ planId, limit: 1000, signal })) {
    for (const entry of page.entries) byDecision.get(entry.decisionId)?.push(entry);
  }
  return landed.map((decision) => ({ ...decision, entries: byDecision.get(decision.decisionId) ?? [] }));
}

async function readDerived(
  { client, signal }: Source,
  status: PlanStatusReply,
  digest: string,
): Promise<ReadChangeset> {
  const { planId } = status;
  const { entries, ...derived } = await derivedPages({ client, signal }, status, digest);
  const found = derivedDigest({ ...derived, entries });
  if (found !== digest) throw notWhatItSays(digest, found);
  if (derived.kind !== "rollback") await requireLatest({ client, signal }, status, derived);
  return {
    digest,
    kind: derived.kind,
    changes: changesOf(entries),
    content: async (sha256) => {
      try {
        return await client.content.get(sha256, signal);
      } catch (fault) {
        if (!(fault instanceof NotFoundError)) throw fault;
        return client.planContent({ planId, sha256, signal });
      }
    },
  };
}

async function derivedPages({ client, signal }: Source, status: PlanStatusReply, digest: string) {
  const { planId } = status;
  try {
    const pages: DerivedPageReply[] = [];
    for await (const page of client.derived({ planId, digest, signal })) pages.push(page);
    const [first] = pages;
    if (first === undefined) throw notThisPlans(status, digest);
    return { ...first, entries: pages.flatMap(({ entries }) => entries) };
  } catch (fault) {
    if (fault instanceof NotFoundError) throw notThisPlans(status, digest);
    throw fault;
  }
}

/** A merge or a part of an earlier run's changeset is superseded by the run that came after. */
async function requireLatest(
  { client, signal }: Source,
  status: PlanStatusReply,
  derived: { readonly digest: string; readonly of: string },
): Promise<void> {
  const { planId, digest: sealed } = status;
  for (let { of } = derived; of !== sealed; ) {
    const source = await derivedPages({ client, signal }, status, of).catch((fault: unknown) => {
      if (!(fault instanceof ConflictError)) throw fault;
      throw new ConflictError({
        code: "superseded",
        message: `The changeset ${derived.digest} of plan ${planId} was made from ${of}, which is not the changeset of its latest run. Make it again from ${sealed}.`,
        details: { digest: derived.digest, of },
      });
    });
    of = source.of;
  }
}

/** One resource of a plan is written, so that all entries are of it. Paths that no tree can hold are refused here too. */
function changesOf(entries: readonly EntryReply[]): readonly NetChange[] {
  for (const { path } of entries) {
    checkPath(path);
    if (path.split("/")[0]?.toLowerCase() !== ".planledger") continue;
    throw new PlanledgerError({
      code: "path_refused",
      message: `the changeset writes ${JSON.stringify(path)}, and a directory keeps its journal there; nothing was changed`,
      details: { path },
    });
  }
  return [...new Set(entries.map(({ resource }) => resource))].flatMap((resource) =>
    netEntries(entries, resource).map(({ path, before, after }) => ({ path, before, after })),
  );
}

const notThisPlans = ({ planId, digest }: PlanStatusReply, given: string): ConflictError =>
  new ConflictError({
    code: "digest_mismatch",
    message: `The changeset of plan ${planId} has the digest ${digest}, and none derived from it has the digest ${given}. Review what is there now, and give that digest.`,
    details: { digest, given },
  });

const notWhatItSays = (digest: string, found: string): PlanledgerError =>
  new PlanledgerError({
    code: "content_mismatch",
    message: `the entries that the service sent for ${digest} hash to ${found}; nothing was changed`,
    details: { digest, found },
  });
