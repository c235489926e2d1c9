import type { ContentStore } from "../content/content-store.ts";
import { InfrastructureError } from "../errors/planledger-error.ts";
import type { CompiledDecision, CompiledPlan, DecisionChunk } from "./compiled-plan.ts";
import { decisionCodec } from "./decision-codec.ts";
import { recentlyUsed } from "./recently-used.ts";

/** Readers of content go from one decision's inputs to another's, in no order. */
const keptChunks = 12;
const keptPages = 4;

/** A plan's decisions by ordinal, wherever they lie. */
export interface DecisionSource {
  readonly count: number;
  /** Decisions `from` ≤ ordinal < `to`, in plan order; ordinals outside the plan are left out. */
  range(from: number, to: number): Promise<readonly CompiledDecision[]>;
  at(ordinal: number): Promise<CompiledDecision | undefined>;
  /** Ids of all decisions in plan order. */
  ids(): Promise<readonly string[]>;
  /** Ordinal of a decision id; `undefined` when the plan has no such decision. */
  ordinalOf(decisionId: string): Promise<number | undefined>;
}

/**
 * Reads the decisions of an accepted plan. Loads only the chunks that are asked for and keeps the last few; a range of one
 * chunk costs two reads at most, whatever the plan's size. Content that is missing is an `InfrastructureError`, since
 * a plan is accepted only once its content is stored.
 */
export function decisionSource(options: {
  readonly plan: CompiledPlan;
  readonly content: Pick<ContentStore, "get">;
}): DecisionSource {
  const { plan, content } = options;
  const range = rangeReader(plan.decisions, content);
  const ids = once(async () => {
    if (plan.decisions.kind === "inline") return plan.decisions.decisions.map(({ id }) => id);
    return decisionCodec.decodeIds(await load(content, plan.decisions.idsSha256));
  });
  const ordinals = once(async () => new Map((await ids()).map((id, ordinal) => [id, ordinal])));
  return {
    count: plan.decisionCount,
    range,
    at: async (ordinal) => (await range(ordinal, ordinal + 1))[0],
    ids,
    ordinalOf: async (decisionId) => (await ordinals()).get(decisionId),
  };
}

function rangeReader(
  decisions: CompiledPlan["decisions"],
  content: Pick<ContentStore, "get">,
): DecisionSource["range"] {
  if (decisions.kind === "inline") {
    return async (from, to) => decisions.decisions.slice(Math.max(0, from), Math.max(0, to));
  }
  const pages = recentlyUsed(keptPages, async (sha256) =>
    decisionCodec.decodePage(await load(content, sha256)),
  );
  const chunks = recentlyUsed(keptChunks, async (sha256) =>
    decisionCodec.decodeDecisions(await load(content, sha256)),
  );
  return async (from, to) => {
    const found: CompiledDecision[] = [];
    for (const page of overlapping(decisions.pages, from, to)) {
      for (const chunk of overlapping(await pages(page.sha256), from, to)) {
        const start = Math.max(0, from - chunk.firstOrdinal);
        const end = Math.min(chunk.count, to - chunk.firstOrdinal);
        for (const decision of (await chunks(chunk.sha256)).slice(start, end)) found.push(decision);
      }
    }
    return found;
  };
}

const overlapping = (parts: readonly DecisionChunk[], from: number, to: number): readonly DecisionChunk[] =>
  parts.filter(({ firstOrdinal, count }) => firstOrdinal < to && firstOrdinal + count > from);

async function load(content: Pick<ContentStore, "get">, sha256: string): Promise<Uint8Array> {
  const bytes = await content.get(sha256);
  if (bytes !== undefined) return bytes;
  throw new InfrastructureError({
    message: `Content ${sha256} of an accepted plan is not in the content store.`,
  });
}

/** Remembers the first success; a failure is forgotten, so that the next call tries again. */
function once<Value>(read: () => Promise<Value>): () => Promise<Value> {
  let reading: Promise<Value> | undefined;
  return () => {
    reading ??= read().catch((error: unknown) => {
      reading = undefined;
      throw error;
    });
    return reading;
  };
}
