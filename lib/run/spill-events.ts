import { InfrastructureError, PlanError } from "../errors/planledger-error.ts";
import { type EventSpill, noDisposition, type SignedLedgerHead } from "./disposition.ts";
import type { EndedFrontier } from "./ended-run.ts";
import type { Frontier } from "./frontier.ts";
import type { StepStore } from "./run-store.ts";
import type { Step } from "./step.ts";

/** Events that may wait on an ended run's frontier, so that it stays small. */
const maxWaiting = 16;

/**
 * Makes room for a further event of an ended run: once many wait, they go into a step without decisions at the run's last
 * position, under the epoch of now, and the frontier keeps only where it lies. Nobody else writes steps there: workers of
 * before the end had lower epochs. The answer is the same frontier otherwise; it counts once it was moved.
 */
export async function withRoom(
  frontier: EndedFrontier,
  { steps, version }: { readonly steps: Pick<StepStore, "putIfAbsent">; readonly version: string },
): Promise<EndedFrontier> {
  const { controlEvents } = frontier;
  const [first] = controlEvents;
  if (controlEvents.length < maxWaiting || first === undefined) return frontier;
  const disposition = frontier.disposition ?? noDisposition;
  const { run, position: from, epoch, counts, chainHead, ledgerHead, lastSeq } = frontier;
  const own: Step = {
    v: 1,
    run,
    from,
    epoch,
    decisions: [],
    events: controlEvents,
    contents: new Map(),
    contentAt: new Map(),
    counts,
    chainHead,
    ledgerHead,
    writtenBy: version,
    heads: disposition.heads,
  };
  const { step } = await steps.putIfAbsent(frontier, own);
  if (step.ledgerHead !== ledgerHead || step.decisions.length > 0) {
    throw new PlanError({
      code: "internal",
      message: `The step at position ${from}, epoch ${epoch} of run ${run} of plan ${frontier.planId} does not hold the events that wait on its frontier.`,
    });
  }
  const spill = { epoch, firstSeq: first.seq, lastSeq };
  return {
    ...frontier,
    controlEvents: [],
    disposition: { ...disposition, heads: [], spills: [...disposition.spills, spill] },
  };
}

/** The step that holds events which no longer wait on the frontier. */
export async function readSpill(
  { tenant, planId, run, position: from }: Frontier,
  { epoch, firstSeq, lastSeq }: EventSpill,
  { steps }: { readonly steps: Pick<StepStore, "get"> },
): Promise<Step> {
  const step = await steps.get({ tenant, planId, run, from, epoch });
  if (step !== undefined) return step;
  throw new InfrastructureError({
    message: `The events ${firstSeq} to ${lastSeq} of plan ${planId} are in no step at position ${from}, epoch ${epoch} of run ${run}.`,
  });
}

/** The signed heads after a run's seal, oldest first: one for each event of its frontier since then. */
export async function signedHeads(
  frontier: Frontier,
  ports: { readonly steps: Pick<StepStore, "get"> },
): Promise<readonly SignedLedgerHead[]> {
  const { spills = [], heads = [] } = frontier.disposition ?? {};
  const spilled = await Promise.all(spills.map((spill) => readSpill(frontier, spill, ports)));
  return [...spilled.flatMap((step) => step.heads ?? []), ...heads];
}
