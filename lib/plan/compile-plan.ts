import { canonicalJson } from "../canonical/canonical-json.ts";
import { sha256Hex } from "../canonical/sha256.ts";
import type {
  CompiledDecision,
  CompiledPlan,
  DecisionChunk,
  PinnedResource,
  PinnedTool,
} from "./compiled-plan.ts";
import { decisionCodec } from "./decision-codec.ts";
import { orderedDecisions } from "./ordered-decisions.ts";
import type { PlanDocument } from "./plan-document.ts";
import { chunkLimits, chunksPerPage, inlineDecisionsBytes } from "./plan-limits.ts";

/** `contents` must be in the content store before the plan is; the plan names them by hash. */
export interface PlanCompilation {
  readonly plan: CompiledPlan;
  readonly contents: readonly Uint8Array[];
}

/**
 * Brings a document that `parsePlanDocument` accepted into the form that runs: decisions in plan order, dependencies as
 * ordinals (ascending, none twice), bases pinned by the caller (one for each of `documentResources`), synced tools too. The same document
 * and pins give the same plan, byte for byte.
 */
export function compilePlan(
  document: PlanDocument,
  options: {
    readonly pinnedResources: readonly PinnedResource[];
    readonly pinnedTools?: readonly PinnedTool[];
  },
): PlanCompilation {
  const decisions = orderedDecisions(document.decisions);
  const { compiled, contents } = storedDecisions(decisions);
  const { pinnedTools = [] } = options;
  const plan: CompiledPlan = {
    ...(document.name === undefined ? {} : { name: document.name }),
    ...(document.decisionRootId === undefined ? {} : { decisionRootId: document.decisionRootId }),
    automationProfile: document.automationProfile ?? "manual",
    resources: options.pinnedResources,
    resourceBindings: document.resourceBindings ?? {},
    ...(pinnedTools.length === 0 ? {} : { tools: pinnedTools }),
    decisionCount: decisions.length,
    decisions: compiled,
  };
  return { plan, contents };
}

function storedDecisions(decisions: readonly CompiledDecision[]): {
  readonly compiled: CompiledPlan["decisions"];
  readonly contents: readonly Uint8Array[];
} {
  const contents: Uint8Array[] = [];
  const store = (bytes: Uint8Array): string => {
    contents.push(bytes);
    return sha256Hex(bytes);
  };
  const chunks: DecisionChunk[] = [];
  let totalBytes = 0;
  for (const { firstOrdinal, forms } of chunked(decisions)) {
    const bytes = decisionCodec.joinDecisions(forms);
    totalBytes += bytes.byteLength;
    chunks.push({ firstOrdinal, count: forms.length, sha256: store(bytes) });
  }
  if (totalBytes <= inlineDecisionsBytes) return { compiled: { kind: "inline", decisions }, contents: [] };
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

/** Decisions of one chunk in their canonical form, each made only once: of a large plan this is most of the work. */
interface ChunkForms {
  readonly firstOrdinal: number;
  readonly forms: readonly string[];
}

function* chunked(decisions: readonly CompiledDecision[]): Generator<ChunkForms> {
  let forms: string[] = [];
  let sizeBytes = 0;
  for (const decision of decisions) {
    const form = canonicalJson(decision);
    const formBytes = Buffer.byteLength(form) + 1;
    const isFull = forms.length >= chunkLimits.decisions || sizeBytes + formBytes > chunkLimits.bytes;
    if (isFull && forms.length > 0) {
      yield { firstOrdinal: decision.ordinal - forms.length, forms };
      forms = [];
      sizeBytes = 0;
    }
    forms.push(form);
    sizeBytes += formBytes;
  }
  if (forms.length > 0) yield { firstOrdinal: decisions.length - forms.length, forms };
}
