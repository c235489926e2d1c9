import * as z from "zod/mini";
import type { TracedEntryReply, TraceReply } from "../api/apply-replies.ts";
import { decodeCursor, encodeCursor } from "../api/cursor.ts";
import type { ChangeEntry } from "../changeset/change-entry.ts";
import { ValidationError } from "../errors/planledger-error.ts";
import { readEntries } from "../run/read-entries.ts";
import type { PlanKey } from "../run/run-store.ts";
import { openRunView, type RunView } from "../run/run-view-ports.ts";
import { type EntryTracer, entryTracer, type TracePorts } from "./entry-tracer.ts";
import { jsonBytes, pageMaximumBytes, shortInput, shortText } from "./reply-size.ts";

export interface TraceQuery {
  readonly path?: string | undefined;
  readonly resource?: string | undefined;
  readonly decision?: string | undefined;
  readonly limit?: number | undefined;
  readonly cursor?: string | undefined;
}

const defaultLimit = 50;
/** Entries of one decision lie in one step, which is read whole whatever part of them is asked for. */
const entriesPerRead = 10_000;
/** Entries that one request looks at; a page may be empty and have a cursor. */
const entriesPerRequest = 20_000;
/** Of JSON: beyond, a trace is told in short. */
const wholeMaximumBytes = 512 * 1024;
const shortReasons = 100;

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
  const trace = await entryTracer(ports, key, view);
  const found =
    query.decision === undefined
      ? await findByPath(ports, view, query)
      : await findInDecision(trace, view, { ...query, decision: query.decision });
  const traces: TracedEntryReply[] = [];
  let sizeBytes = 0;
  for (const [index, { entry, at }] of found.finds.entries()) {
    const traced = shortTrace(await trace.traced(entry));
    sizeBytes += jsonBytes(traced);
    if (index > 0 && sizeBytes > pageMaximumBytes) return replyOf(key, traces, cursorOf(view, query, at));
    traces.push(traced);
  }
  return replyOf(key, traces, found.next === undefined ? undefined : cursorOf(view, query, found.next));
};

const replyOf = (
  { planId }: PlanKey,
  traces: readonly TracedEntryReply[],
  cursor: string | undefined,
): TraceReply => ({ planId, traces: [...traces], ...(cursor === undefined ? {} : { cursor }) });

type Position = z.output<typeof position>;

const cursorOf = (view: RunView, query: TraceQuery, at: Position): string =>
  encodeCursor(listingOf(view, query), at);

const listingOf = ({ frontier }: RunView, { path, resource, decision }: TraceQuery): string =>
  `trace ${frontier.planId} ${frontier.run} ${JSON.stringify([path, resource, decision])}`;

/** A trace as it is, or, of a long one, with its input and its reasons cut. */
const shortTrace = (trace: TracedEntryReply): TracedEntryReply => {
  if (jsonBytes(trace) <= wholeMaximumBytes) return trace;
  const leftOut = Math.max(0, trace.why.length - shortReasons) + (trace.whyLeftOut ?? 0);
  return {
    ...trace,
    call: { ...trace.call, input: shortInput(trace.call.input) },
    why: trace.why.slice(0, shortReasons).map(({ decisionId, rationale }) => ({
      decisionId,
      ...(rationale === undefined ? {} : { rationale: shortText(rationale).text }),
    })),
    ...(leftOut === 0 ? {} : { whyLeftOut: leftOut }),
  };
};

/** An entry, and the position at which a page begins with it. */
interface Find {
  readonly entry: ChangeEntry;
  readonly at: Position;
}

interface Finds {
  readonly finds: readonly Find[];
  readonly next: Position | undefined;
}

const isWanted =
  ({ path, resource }: TraceQuery) =>
  (entry: ChangeEntry): boolean =>
    (path === undefined || entry.path === path) && (resource === undefined || entry.resource === resource);

const findByPath = async (ports: TracePorts, view: RunView, query: TraceQuery): Promise<Finds> => {
  const limit = query.limit ?? defaultLimit;
  const found: Find[] = [];
  let { at, skip } = { at: undefined, ...positionIn(view, query) };
  for (let read = 0; read < entriesPerRequest; read += entriesPerRead) {
    const page = await readEntries(
      view.frontier,
      { limit: entriesPerRead, ...(at === undefined ? {} : { cursor: at }) },
      ports,
    );
    const wanted = page.entries.filter(isWanted(query));
    const from = at === undefined ? {} : { at };
    for (let next = skip; next < wanted.length; next += 1) {
      const entry = wanted[next];
      if (entry === undefined || found.length === limit)
        return { finds: found, next: { ...from, skip: next } };
      found.push({ entry, at: { ...from, skip: next } });
    }
    if (page.cursor === undefined) return { finds: found, next: undefined };
    at = page.cursor;
    skip = 0;
  }
  return { finds: found, next: { ...(at === undefined ? {} : { at }), skip: 0 } };
};

const positionIn = (view: RunView, query: TraceQuery): Position =>
  query.cursor === undefined ? { skip: 0 } : decodeCursor(query.cursor, listingOf(view, query), position);

const findInDecision = async (
  trace: EntryTracer,
  view: RunView,
  query: TraceQuery & { readonly decision: string },
): Promise<Finds> => {
  const { skip } = positionIn(view, query);
  const { record } = await trace.decisionOf(query.decision);
  const wanted = (record?.entries ?? []).filter(isWanted(query));
  const end = skip + (query.limit ?? defaultLimit);
  return {
    finds: wanted.slice(skip, end).map((entry, index) => ({ entry, at: { skip: skip + index } })),
    next: end < wanted.length ? { skip: end } : undefined,
  };
};
