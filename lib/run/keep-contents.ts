import type { ContentStore } from "../content/content-store.ts";
import type { DecisionRecord } from "./decision-record.ts";
import type { LiveRunState } from "./live-run-state.ts";
import type { StepRef } from "./step.ts";
import type { StepBuilder, StepContents } from "./step-builder.ts";

/** Larger content goes to the content store; a put costs more than a few KB in a step do. */
const maxContentInStepBytes = 32 * 1024;

/**
 * Decides where the content of a decision's entries is kept: what stood before the decision is where it was (in an older
 * step, or in the content store), new content rides in the step, and large new content goes to the content store now, before
 * any step can refer to it.
 */
export async function keepContents(
  record: DecisionRecord,
  contents: ReadonlyMap<string, Uint8Array>,
  where: {
    readonly builder: Pick<StepBuilder, "has">;
    readonly state: Pick<LiveRunState, "locate">;
    readonly content: Pick<ContentStore, "put">;
  },
): Promise<StepContents & { readonly puts: number }> {
  const { builder, state, content } = where;
  const inStep = new Map<string, Uint8Array>();
  const at = new Map<string, StepRef>();
  const large: Uint8Array[] = [];
  const stoodBefore = contentBefore(record);
  const seen = new Set<string>();
  for (const { before, after } of record.entries) {
    for (const sha256 of [before?.sha256, after?.sha256]) {
      if (sha256 === undefined || seen.has(sha256) || builder.has(sha256)) {
        continue;
      }
      seen.add(sha256);
      const older = state.locate(sha256);
      const bytes = contents.get(sha256);
      if (older !== undefined) {
        at.set(sha256, older);
      } else if (bytes !== undefined && !stoodBefore.has(sha256)) {
        if (bytes.length > maxContentInStepBytes) {
          large.push(bytes);
        } else {
          inStep.set(sha256, bytes);
        }
      }
    }
  }
  if (large.length > 0) {
    await content.put(large);
  }
  return { inStep, at, puts: large.length };
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
