import type { ContentStore } from "../content/content-store.ts";
import type { DecisionRecord } from "./decision-record.ts";
import { deltaOver, depthOf, type KeptContent } from "./kept-content.ts";
import type { LiveRunState } from "./live-run-state.ts";
import type { StepRef } from "./step.ts";
import type { StepBuilder, StepContents } from "./step-builder.ts";

/** Larger content goes to the content store; a put costs more than a few KB in a step do. */
const maxContentInStepBytes = 32 * 1024;

/**
 * Decides where the content of a decision's entries is kept: what stood before the decision is where it was (in an older
 * step, or in the content store); new content rides in the step, as a delta over what it replaces and over the inputs of
 * the decision's calls where that is much smaller; large new content goes to the content store now, before any step can
 * refer to it. `stored` is what lies there when this returns.
 */
export async function keepContents(
  record: DecisionRecord,
  contents: ReadonlyMap<string, Uint8Array>,
  where: {
    /** `inputBytes` of the decision as the stored plan has it. */
    readonly inputs: Uint8Array;
    readonly builder: Pick<StepBuilder, "has">;
    readonly state: Pick<LiveRunState, "locate" | "deltaDepth">;
    readonly content: Pick<ContentStore, "put">;
  },
): Promise<StepContents & { readonly puts: number; readonly stored: Iterable<string> }> {
  const { inputs, builder, state, content } = where;
  const inStep = new Map<string, KeptContent>();
  const at = new Map<string, StepRef>();
  const large = new Map<string, Uint8Array>();
  const stored = new Set<string>();
  const stoodBefore = contentBefore(record);

  function keep(sha256: string, replaced: string | undefined): void {
    if (inStep.has(sha256) || large.has(sha256) || builder.has(sha256)) {
      return;
    }
    const older = state.locate(sha256);
    const bytes = contents.get(sha256);
    if (older !== undefined) {
      at.set(sha256, older);
    } else if (stoodBefore.has(sha256)) {
      stored.add(sha256);
    } else if (bytes !== undefined) {
      const kept = deltaOf(bytes, replaced) ?? { kind: "whole", bytes };
      if (kept.bytes.length > maxContentInStepBytes) {
        large.set(sha256, bytes);
        stored.add(sha256);
      } else {
        inStep.set(sha256, kept);
      }
    }
  }

  function deltaOf(bytes: Uint8Array, replaced: string | undefined): KeptContent | undefined {
    const over = { inputs: { ordinal: record.ordinal, bytes: inputs } };
    const base = replaced === undefined ? undefined : contents.get(replaced);
    if (replaced === undefined || base === undefined) {
      return deltaOver(over, bytes);
    }
    const own = inStep.get(replaced);
    const depth = own === undefined ? state.deltaDepth(replaced) : depthOf(own);
    return deltaOver({ ...over, base: { sha256: replaced, bytes: base, depth } }, bytes);
  }

  for (const { before, after } of record.entries) {
    if (before !== null) {
      keep(before.sha256, undefined);
    }
    if (after !== null) {
      keep(after.sha256, before?.sha256);
    }
  }
  if (large.size > 0) {
    await content.put([...large.values()]);
  }
  return { inStep, at, puts: large.size, stored };
}

/** Content that stood in the tree when the decision began: that of the first entry of every path. */
function contentBefore(record: DecisionRecord): ReadonlySet<string> {
  const touched = new Set<string>();
  const stood = new Set<string>();
  for (const { resource, path, before } of record.entries) {
    const place = `${resource}\0${path}`;
    if (!touched.has(place) && before !== null) {
      stood.add(before.sha256);
    }
    touched.add(place);
  }
  return stood;
}
