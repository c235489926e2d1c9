import type { ContentStore } from "../content/content-store.ts";
import { InfrastructureError } from "../errors/planledger-error.ts";
import { wholeOf } from "./kept-content.ts";
import type { Step, StepRef } from "./step.ts";

export interface ContentSources {
  readonly step: (at: StepRef) => Promise<Step | undefined>;
  readonly content: Pick<ContentStore, "get">;
}

/** Content that rides in a step; `undefined` when it does not. A delta's base is in this step, in an older one, or stored. */
export async function contentInStep(
  step: Step,
  sha256: string,
  sources: ContentSources,
): Promise<Uint8Array | undefined> {
  const kept = step.contents.get(sha256);
  if (kept === undefined || kept.kind === "whole") {
    return kept?.bytes;
  }
  const base = await contentOfEntry(step, kept.base, sources);
  if (base === undefined) {
    throw new InfrastructureError({
      code: "content_missing",
      message: `The content ${kept.base}, over which ${sha256} is kept, is not there.`,
    });
  }
  return wholeOf(kept.bytes, base);
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
