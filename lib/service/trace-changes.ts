import * as z from "zod/mini";
import type { TracedEntryReply, TraceReply } from "../api/apply-requests.ts";
import { decodeCursor, encodeCursor } from "../api/cursor.ts";
import type { DerivedChangesetStore } from "../apply/derived-changeset-store.ts";
import type { ChangeEntry } from "../changeset/change-entry.ts";
import { NotFoundError, ValidationError } from "../errors/planledger-error.ts";
import type { CompiledDecision } from "../plan/compiled-plan.ts";
import type { DecisionSource } from "../plan/decision-source.ts";
import type { LandedChangeset } from "../run/disposition.ts";
import { type DecisionView, readDecisions } from "../run/read-decisions.ts";
import { readEntries } from "../run/read-entries.ts";
import type { PlanKey } from "../run/run-store.ts";
import { openRunView, type RunView } from "../run/run-view-ports.ts";
import { entryReplies } from "./entry-replies.ts";
import type { PlanViewPorts } from "./plan-view-ports.ts";

export interface TracePorts extends PlanViewPorts {
  readonly derived: Pick<DerivedChangesetStore, "get">;
}

export interface TraceQuery {
  readonly path?: string | undefined;
  readonly resource?: string | undefined;
  readonly decision?: string | undefined;
  readonly limit?: number | undefined;
  readonly cursor?: string | undefined;
}

const defaultLimit = 50;
const entriesPerRead = 1_000;
/** Entries that one request looks at; a page may be empty and have a cursor. */
const entriesPerRequest = 20_000;

/** Where the search goes on: a page of the changeset's entries, and how many of its finds were told already. */
const position = z.strictObject({
  at: z.optional(z.string()),
  skip: z.int().check(z.nonnegative()),
});

/**
 * Traces changes both ways: from a path to its entries, the decisions and calls that made them and why; from a decision to its
 * entries and the revisions in which they stand. In the order of the changeset.
 */
export const traceChanges = async (
  ports: TracePorts,
  key: PlanKey,
  query: TraceQuery,
): Promise<TraceReply> => {
  if (query.path === undefined && query.decision === undefined) {
    throw new ValidationError({
      field: "path",
      message:
        "path or decision is required: name the path, or the decision, whose changes are to be traced.",
    });
  }
  const view = await openRunView(key, ports);
  const trace = await tracer(ports, key, view);
  const found =
    query.decision === undefined
      ? await findByPath(ports, view, query)
      : { entries: await entriesOfDecision(trace, query.decision, query), next: undefined };
  const traces: TracedEntryReply[] = [];
  for (const entry of found.entries) traces.push(await trace.traced(entry));
  return {
    planId: key.planId,
    traces,
    ...(found.next === undefined ? {} : { cursor: encodeCursor(listingOf(view, query), found.next) }),
  };
};

const listingOf = ({ frontier }: RunView, { path, resource }: TraceQuery): string =>
  `trace ${frontier.planId} ${frontier.run} ${JSON.stringify([path, resource])}`;

const isWanted =
  ({ path, resource }: TraceQuery) =>
  (entry: ChangeEntry): boolean =>
    (path === undefined || entry.path === path) && (resource === undefined || entry.resource === resource);

const findByPath = async (
  ports: TracePorts,
  view: RunView,
  query: TraceQuery,
): Promise<{
  readonly entries: readonly ChangeEntry[];
  readonly next: z.output<typeof position> | undefined;
}> => {
  const limit = query.limit ?? defaultLimit;
  const from =
    query.cursor === undefined ? { skip: 0 } : decodeCursor(query.cursor, listingOf(view, query), position);
  const entries: ChangeEntry[] = [];
  let { at, skip } = { at: undefined, ...from };
  for (let read = 0; read < entriesPerRequest; read += entriesPerRead) {
    const page = await readEntries(
      view.frontier,
      { limit: entriesPerRead, ...(at === undefined ? {} : { cursor: at }) },
      ports,
    );
    const finds = page.entries.filter(isWanted(query)).slice(skip);
    const taken = finds.slice(0, limit - entries.length);
    entries.push(...taken);
    if (taken.length < finds.length) {
      return { entries, next: { ...(at === undefined ? {} : { at }), skip: skip + taken.length } };
    }
    if (page.cursor === undefined) return { entries, next: undefined };
    at = page.cursor;
    skip = 0;
  }
  return { entries, next: { ...(at === undefined ? {} : { at }), skip: 0 } };
};

const entriesOfDecision = async (
  trace: Tracer,
  decisionId: string,
  query: TraceQuery,
): Promise<readonly ChangeEntry[]> => {
  const { record } = await trace.decisionOf(decisionId);
  return (record?.entries ?? []).filter(isWanted(query));
};

interface Tracer {
  decisionOf(decisionId: string): Promise<DecisionView>;
  traced(entry: ChangeEntry): Promise<TracedEntryReply>;
}

const tracer = async (ports: TracePorts, key: PlanKey, { frontier, runPlan }: RunView): Promise<Tracer> => {
  const views = new Map<string, DecisionView>();
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
      const sameCall = (record?.entries ?? []).filter(({ callOrdinal }) => callOrdinal === entry.callOrdinal);
      const [reply] = entryReplies(sameCall).filter(
        ({ path, resource }) => path === entry.path && resource === entry.resource,
      );
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
        why: await reasons(runPlan.source, decision),
        revisions,
      };
    },
  };
};

/** A decision and those above it, up to the root, which may be the prompt and no decision of the plan. */
const reasons = async (
  source: DecisionSource,
  decision: CompiledDecision,
): Promise<TracedEntryReply["why"]> => {
  const why: TracedEntryReply["why"] = [];
  const seen = new Set<string>();
  for (let at: CompiledDecision | undefined = decision; at !== undefined && !seen.has(at.id); ) {
    seen.add(at.id);
    why.push({ decisionId: at.id, ...(at.rationale === undefined ? {} : { rationale: at.rationale }) });
    const { parentId }: CompiledDecision = at;
    if (parentId === undefined) break;
    const ordinal: number | undefined = await source.ordinalOf(parentId);
    at = ordinal === undefined ? undefined : await source.at(ordinal);
    if (at === undefined) why.push({ decisionId: parentId });
  }
  return why;
};
