import type { ContentStore } from "../content/content-store.ts";
import { InfrastructureError } from "../errors/planledger-error.ts";
import type { CallInputs } from "./call-inputs.ts";
import { wholeOf } from "./kept-content.ts";
import type { Step, StepRef } from "./step.ts";

export interface ContentSources {
  readonly step: (at: StepRef) => Promise<Step | undefined>;
  readonly content: Pick<ContentStore, "get">;
  readonly inputs: CallInputs;
}

/**
 * Content that rides in a step; `undefined` when it does not. A delta's base is in this step, in an older one, or stored;
 * inputs are in the plan.
 */
export async function contentInStep(
  step: Step,
  sha256: string,
  sources: ContentSources,
): Promise<Uint8Array | undefined> {
  const kept = step.contents.get(sha256);
  if (kept === undefined || kept.kind === "whole") {
    return kept?.bytes;
  }
  const [base, inputs] = await Promise.all([
    kept.base === undefined ? undefined : baseOf(step, kept.base, { sha256, sources }),
    kept.inputsOf === undefined ? undefined : sources.inputs({ run: step.run, ordinal: kept.inputsOf }),
  ]);
  return wholeOf(kept.bytes, { base, inputs }, sha256);
}

async function baseOf(
  step: Step,
  base: string,
  { sha256, sources }: { readonly sha256: string; readonly sources: ContentSources },
): Promise<Uint8Array> {
  const bytes = await contentOfEntry(step, base, sources);
  if (bytes === undefined) {
    throw new InfrastructureError({
      code: "content_missing",
      message: `The content ${base}, over which ${sha256} is kept, is not there.`,
    });
  }
  return bytes;
}

/** Content that an entry of a step refers to, wherever it lies. */
export async function contentOfEntry(
  step: Step,
  sha256: string,
  sources: ContentSources,
): Promise<Uint8Array | undefined> {
  if (step.contents.has(sha256)) {
    return contentInStep(step, sha256, sources);
  }
  const at = step.contentAt.get(sha256);
  const older = at === undefined ? undefined : await sources.step(at);
  return older === undefined ? sources.content.get(sha256) : contentInStep(older, sha256, sources);
}
