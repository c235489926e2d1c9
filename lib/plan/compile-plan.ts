import { canonicalJson } from "../canonical/canonical-json.ts";
import { sha256Hex } from "../canonical/sha256.ts";
import type { CompiledDecision, CompiledPlan, DecisionChunk, PinnedResource } from "./compiled-plan.ts";
import { decisionCodec } from "./decision-codec.ts";
import type { DecisionDocument, PlanDocument } from "./plan-document.ts";
import { chunkLimits, chunksPerPage, inlineDecisionsBytes } from "./plan-limits.ts";
import { planOrder } from "./plan-order.ts";

/** `contents` must be in the content store before the plan is; the plan names them by hash. */
export interface PlanCompilation {
  readonly plan: CompiledPlan;
  readonly contents: readonly Uint8Array[];
}

/**
 * Brings a document that `parsePlanDocument` accepted into the form that runs: decisions in plan order, dependencies as
 * ordinals (ascending, none twice), bases pinned by the caller (one for each of `documentResources`). The same document
 * and pins give the same plan, byte for byte.
 */
export function compilePlan(
  document: PlanDocument,
  options: { readonly pinnedResources: readonly PinnedResource[] },
): PlanCompilation {
  const decisions = orderedDecisions(document.decisions);
  const { compiled, contents } = storedDecisions(decisions);
  const plan: CompiledPlan = {
    ...(document.name === undefined ? {} : { name: document.name }),
    ...(document.decisionRootId === undefined ? {} : { decisionRootId: document.decisionRootId }),
    automationProfile: document.automationProfile ?? "manual",
    resources: options.pinnedResources,
    resourceBindings: document.resourceBindings ?? {},
    decisionCount: decisions.length,
    decisions: compiled,
  };
  return { plan, contents };
}

function orderedDecisions(documents: readonly DecisionDocument[]): readonly CompiledDecision[] {
  const ordinalOf = new Map<string, number>();
  const inOrder = planOrder(documents).flatMap((index) => documents[index] ?? []);
  for (const [ordinal, { id }] of inOrder.entries()) ordinalOf.set(id, ordinal);
  return inOrder.map((decision, ordinal) => {
    const dependsOn = new Set((decision.dependsOn ?? []).flatMap((id) => ordinalOf.get(id) ?? []));
    return {
      ordinal,
      id: decision.id,
      ...(decision.parentId === undefined ? {} : { parentId: decision.parentId }),
      ...(decision.rationale === undefined ? {} : { rationale: decision.rationale }),
      dependsOn: [...dependsOn].sort((a, b) => a - b),
      toolCalls: decision.toolCalls ?? [],
    };
  });
}

function storedDecisions(decisions: readonly CompiledDecision[]): {
  readonly compiled: CompiledPlan["decisions"];
  readonly contents: readonly Uint8Array[];
} {
  if (fitsInline(decisions)) return { compiled: { kind: "inline", decisions }, contents: [] };
  const contents: Uint8Array[] = [];
  const store = (bytes: Uint8Array): string => {
    contents.push(bytes);
    return sha256Hex(bytes);
  };
  const chunks = chunked(decisions).map((chunk) =>
    listing(chunk, store(decisionCodec.encodeDecisions(chunk))),
  );
  const pages: DecisionChunk[] = [];
  for (let first = 0; first < chunks.length; first += chunksPerPage) {
    const page = chunks.slice(first, first + chunksPerPage);
    const count = page.reduce((sum, chunk) => sum + chunk.count, 0);
    const firstOrdinal = page[0]?.firstOrdinal ?? 0;
    pages.push({ firstOrdinal, count, sha256: store(decisionCodec.encodePage(page)) });
  }
  const idsSha256 = store(decisionCodec.encodeIds(decisions.map(({ id }) => id)));
  return { compiled: { kind: "chunked", pages, idsSha256 }, contents };
}

const listing = (decisions: readonly CompiledDecision[], sha256: string): DecisionChunk => ({
  firstOrdinal: decisions[0]?.ordinal ?? 0,
  count: decisions.length,
  sha256,
});

const sizeBytes = (decision: CompiledDecision): number => Buffer.byteLength(canonicalJson(decision)) + 1;

function fitsInline(decisions: readonly CompiledDecision[]): boolean {
  let total = 1;
  for (const decision of decisions) {
    total += sizeBytes(decision);
    if (total > inlineDecisionsBytes) return false;
  }
  return true;
}

function chunked(decisions: readonly CompiledDecision[]): readonly (readonly CompiledDecision[])[] {
  const chunks: CompiledDecision[][] = [];
  let open: CompiledDecision[] = [];
  let openBytes = 0;
  for (const decision of decisions) {
    const bytes = sizeBytes(decision);
    const isFull = open.length >= chunkLimits.decisions || openBytes + bytes > chunkLimits.bytes;
    if (isFull && open.length > 0) {
      chunks.push(open);
      open = [];
      openBytes = 0;
    }
    open.push(decision);
    openBytes += bytes;
  }
  if (open.length > 0) chunks.push(open);
  return chunks;
}
