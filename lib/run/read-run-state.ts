import { callInputs } from "./call-inputs.ts";
import { contentOfEntry } from "./content-in-step.ts";
import { loadRunState } from "./live-run-state.ts";
import type { RunState } from "./run-state.ts";
import type { RunKey } from "./run-store.ts";
import { openRunView, type RunView, type RunViewPorts } from "./run-view-ports.ts";
import type { Step, StepRef } from "./step.ts";

/**
 * What a run and the runs before it left so far: the overlay over the pinned bases (for diffs, files, tree ids) and the
 * content of everything in it and in the bases.
 */
export async function readRunState(
  key: RunKey,
  ports: RunViewPorts,
): Promise<{ readonly view: RunView; readonly state: RunState }> {
  const view = await openRunView(key, ports);
  const content = ports.contentOf(key.tenant);
  const inputs = callInputs(key, ports, view.plan);
  return { view, state: await loadRunState(view.frontier, { steps: ports.steps, content, inputs }) };
}

/**
 * Content before or after one of a decision's entries, also when nothing of it stands any more: it lies in the decision's
 * step, in the older step that that one names, or in the content store. The step is read once for all contents.
 */
export async function entryContents(
  key: RunKey & { readonly ordinal: number },
  ports: RunViewPorts,
): Promise<(sha256: string) => Promise<Uint8Array | undefined>> {
  const { tenant, planId, run } = key;
  const { plan, frontier, runPlan } = await openRunView({ tenant, planId, run }, ports);
  const position = runPlan.list.positionOf(key.ordinal);
  const [step] =
    position === undefined
      ? []
      : await ports.steps.range({ tenant, planId, run, from: position, before: frontier.position, limit: 1 });
  const content = ports.contentOf(tenant);
  if (step === undefined) return (sha256) => content.get(sha256);
  const sources = { step: olderSteps(key, ports), content, inputs: callInputs(key, ports, plan) };
  return (sha256) => contentOfEntry(step, sha256, sources);
}

/** One content of them. */
export async function readEntryContent(
  key: RunKey & { readonly ordinal: number },
  sha256: string,
  ports: RunViewPorts,
): Promise<Uint8Array | undefined> {
  return (await entryContents(key, ports))(sha256);
}

/** Keeps the step that was read last: neighbours lie in the same one. */
const olderSteps = ({ tenant, planId }: RunKey, { steps }: RunViewPorts) => {
  let last: { readonly at: StepRef; readonly step: Promise<Step | undefined> } | undefined;
  return (at: StepRef): Promise<Step | undefined> => {
    if (last === undefined || !isSameStep(last.at, at)) {
      last = { at, step: steps.get({ tenant, planId, ...at }) };
    }
    return last.step;
  };
};

const isSameStep = (one: StepRef, other: StepRef): boolean =>
  one.run === other.run && one.from === other.from && one.epoch === other.epoch;
