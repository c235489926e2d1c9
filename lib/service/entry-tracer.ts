import type { TracedEntryReply } from "../api/apply-replies.ts";
import type { EntryReply } from "../api/plan-replies.ts";
import type { DerivedChangesetStore } from "../apply/derived-changeset-store.ts";
import type { ChangeEntry } from "../changeset/change-entry.ts";
import { NotFoundError } from "../errors/planledger-error.ts";
import type { CompiledDecision } from "../plan/compiled-plan.ts";
import type { DecisionSource } from "../plan/decision-source.ts";
import type { LandedChangeset } from "../run/disposition.ts";
import { type DecisionView, readDecisions } from "../run/read-decisions.ts";
import type { PlanKey } from "../run/run-store.ts";
import type { RunView } from "../run/run-view-ports.ts";
import { entryReplies } from "./entry-replies.ts";
import type { PlanViewPorts } from "./plan-view-ports.ts";

export interface TracePorts extends PlanViewPorts {
  readonly derived: Pick<DerivedChangesetStore, "get">;
}

/** Reasons that are looked up above a decision. */
const reasonsMaximum = 1_000;

/** Tells of a plan's entries who asked for them and where they stand. What several entries share is looked up once. */
export interface EntryTracer {
  decisionOf(decisionId: string): Promise<DecisionView>;
  traced(entry: ChangeEntry): Promise<TracedEntryReply>;
}

export const entryTracer = async (
  ports: TracePorts,
  key: PlanKey,
  { frontier, runPlan }: RunView,
): Promise<EntryTracer> => {
  const views = new Map<string, DecisionView>();
  const replies = new Map<string, ReadonlyMap<string, EntryReply>>();
  const whys = new Map<string, Reasons>();
  const earlier = await Promise.all(
    Array.from({ length: frontier.run - 1 }, (_, index) => ports.frontiers.read({ ...key, run: index + 1 })),
  );
  const landed = [...earlier, frontier].flatMap((one) =>
    (one?.disposition?.landed ?? [])
      .filter(({ kind }) => kind !== "rollback")
      .map((changeset) => ({ ...changeset, run: one?.run ?? 0 })),
  );

  const decisionOf = async (decisionId: string): Promise<DecisionView> => {
    const known = views.get(decisionId);
    if (known !== undefined) return known;
    const ordinal = await runPlan.source.ordinalOf(decisionId);
    const [view] =
      ordinal === undefined
        ? []
        : (await readDecisions(key, { fromOrdinal: ordinal, limit: 1 }, ports)).decisions;
    if (view === undefined) {
      throw new NotFoundError({
        code: "not_found",
        message: `Plan ${key.planId} has no decision ${decisionId}.`,
        details: { field: "decision" },
      });
    }
    views.set(decisionId, view);
    return view;
  };

  /** By resource and path, all entries of a call, since moves pair within it. */
  const repliesOf = ({ decisionId, callOrdinal }: ChangeEntry, record: DecisionView["record"]) => {
    const call = `${callOrdinal} ${decisionId}`;
    const known = replies.get(call);
    if (known !== undefined) return known;
    const sameCall = (record?.entries ?? []).filter((entry) => entry.callOrdinal === callOrdinal);
    const made = new Map(entryReplies(sameCall).map((reply) => [placeOf(reply), reply]));
    replies.set(call, made);
    return made;
  };

  const reasonsOf = async (decision: CompiledDecision): Promise<Reasons> => {
    const known = whys.get(decision.id);
    if (known !== undefined) return known;
    const made = await reasons(runPlan.source, decision);
    whys.set(decision.id, made);
    return made;
  };

  const holds = async (
    changeset: LandedChangeset & { readonly run: number },
    { entry, run }: { readonly entry: ChangeEntry; readonly run: number },
  ): Promise<boolean> => {
    if (run > changeset.run) return false;
    if (changeset.kind === "sealed") return true;
    const derived = await ports.derived.get({ ...key, digest: changeset.digest });
    const { path, resource, decisionId } = entry;
    return (derived?.entries ?? []).some(
      (one) =>
        one.path === path &&
        one.resource === resource &&
        // A merge keeps one entry a path, with its last writer's name.
        (derived?.kind === "merge" || one.decisionId === decisionId),
    );
  };

  return {
    decisionOf,
    async traced(entry) {
      const { decision, run, record } = await decisionOf(entry.decisionId);
      const call = decision.toolCalls[entry.callOrdinal];
      const reply = repliesOf(entry, record).get(placeOf(entry));
      const revisions: TracedEntryReply["revisions"] = [];
      for (const changeset of landed) {
        if (!(await holds(changeset, { entry, run }))) continue;
        const { project, revision, digest, kind } = changeset;
        revisions.push({ project, revision, digest, kind });
      }
      return {
        run,
        entry: reply ?? { ...entry },
        call: { callOrdinal: entry.callOrdinal, tool: call?.tool ?? "", input: call?.input ?? {} },
        ...(await reasonsOf(decision)),
        revisions,
      };
    },
  };
};

const placeOf = ({ resource, path }: { readonly resource: string; readonly path: string }): string =>
  JSON.stringify([resource, path]);

type Reasons = Pick<TracedEntryReply, "why" | "whyLeftOut">;

/** A decision and those above it, up to the root, which may be the prompt and no decision of the plan. */
const reasons = async (source: DecisionSource, decision: CompiledDecision): Promise<Reasons> => {
  const why: TracedEntryReply["why"] = [];
  const seen = new Set<string>();
  for (let at: CompiledDecision | undefined = decision; at !== undefined && !seen.has(at.id); ) {
    if (seen.size === reasonsMaximum) return { why, whyLeftOut: 1 };
    seen.add(at.id);
    why.push({ decisionId: at.id, ...(at.rationale === undefined ? {} : { rationale: at.rationale }) });
    const { parentId }: CompiledDecision = at;
    if (parentId === undefined) break;
    const ordinal: number | undefined = await source.ordinalOf(parentId);
    at = ordinal === undefined ? undefined : await source.at(ordinal);
    if (at === undefined) why.push({ decisionId: parentId });
  }
  return { why };
};
