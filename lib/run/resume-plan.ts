import { canonicalJson } from "../canonical/canonical-json.ts";
import { jsonPointer } from "../canonical/json-pointer.ts";
import { sha256Hex } from "../canonical/sha256.ts";
import type { ContentStore } from "../content/content-store.ts";
import { ConflictError, InfrastructureError, ValidationError } from "../errors/planledger-error.ts";
import type { PlanRecord } from "../plan/compiled-plan.ts";
import type { PlanStore } from "../plan/plan-store.ts";
import { callInputs } from "./call-inputs.ts";
import type { IdSource } from "./clock.ts";
import { type ControlCaller, type ControlPorts, resumePaused } from "./control-run.ts";
import type { Frontier } from "./frontier.ts";
import { type LiveRunState, loadRunState } from "./live-run-state.ts";
import { moveEndedRun } from "./move-ended-run.ts";
import { continueRun } from "./run-control.ts";
import { type Corrections, loadCorrections, loadRunPlan, type RunPlan } from "./run-decisions.ts";
import { storeRunList } from "./run-list.ts";
import type { RunRecord } from "./run-record.ts";
import type { PlanKey, RunKey, RunRecordStore, StepStore } from "./run-store.ts";
import { hintOf } from "./watch-hint.ts";

export interface ResumePorts extends ControlPorts {
  readonly plans: Pick<PlanStore, "get">;
  readonly runs: RunRecordStore;
  readonly steps: StepStore;
  readonly contentOf: (tenant: string) => ContentStore;
  readonly ids: IdSource;
  /** Version of the code, for the records it writes. */
  readonly version: string;
  /** Lets a further run of so many decisions in, or throws, before anything is written for it. */
  readonly admitRun?: (run: { readonly tenant: string; readonly decisions: number }) => Promise<void>;
}

export interface ResumeRequest extends ControlCaller {
  /** Calls that replace those of decisions that failed or were skipped, or never ran, by decision id. */
  readonly toolCalls?: Corrections;
}

/**
 * Lets a plan go on: a paused run where it stood; after a failed or cancelled one by a further run over everything that
 * did not land, in plan order, on the tree as it was left, the digest's chain and the ledger continued. Corrections given
 * for earlier runs stay in force until others replace them. Repeating a request gives the same answer; of two different
 * requests at once one wins, the other is a `ConflictError` (`plan_running`). A completed plan is a `phase_conflict`; a
 * correction of an unknown decision, or of one that landed, a `ValidationError` at its field.
 */
export async function resumePlan(
  key: PlanKey,
  request: ResumeRequest,
  ports: ResumePorts,
): Promise<Frontier> {
  const frontier = await ports.frontiers.latest(key);
  const phase = frontier?.state.phase;
  if (frontier !== undefined && (phase === "failed" || phase === "cancelled")) {
    return openFurtherRun(frontier, request, ports);
  }
  if (request.toolCalls !== undefined && frontier !== undefined) {
    await requireSameRequest(frontier, request.toolCalls, ports);
  }
  return resumePaused(key, request, ports);
}

async function openFurtherRun(
  ended: Frontier,
  request: ResumeRequest,
  ports: ResumePorts,
): Promise<Frontier> {
  const content = ports.contentOf(ended.tenant);
  const [plan, run] = await loadRun(ended, ports);
  const runPlan = await loadRunPlan({ plan, run }, content);
  const inputs = callInputs(ended, ports, plan);
  const state = await loadRunState(ended, { steps: ports.steps, content, inputs });
  const corrections = await correctionsWith(request.toolCalls, { ended, state, runPlan });
  let decisions = 0;
  for (const _ of openOrdinals(ended, state, runPlan)) decisions += 1;
  await ports.admitRun?.({ tenant: ended.tenant, decisions });
  const { list, decisionCount } = await storeRunList(openOrdinals(ended, state, runPlan), content);
  const checkpoint = await state.checkpoint(0);
  const correctionsSha256 = await storeCorrections(corrections, content);
  const { by, reason } = request;
  const nowEpochMs = ports.clock.now();
  const controlRequest = { by, ...(reason === undefined ? {} : { reason }), nowEpochMs };
  const { frontier: continued } = await moveEndedRun(
    async () => (await ports.frontiers.read(ended)) ?? ended,
    (current) => continueRun(current, controlRequest),
    ports,
  );
  const further: RunRecord = {
    v: 1,
    tenant: ended.tenant,
    planId: ended.planId,
    run: ended.run + 1,
    changesetId: ports.ids.ulid(),
    requestedBy: by,
    requestedAtEpochMs: nowEpochMs,
    list,
    decisionCount,
    startsFrom: {
      chainHead: continued.chainHead,
      ledgerHead: continued.ledgerHead,
      lastSeq: continued.lastSeq,
      checkpoint,
    },
    ...(correctionsSha256 === undefined ? {} : { correctionsSha256 }),
    ...(run.autoApply === undefined ? {} : { autoApply: run.autoApply }),
  };
  const standing = await ports.frontiers.create(further);
  if (standing.run.correctionsSha256 !== correctionsSha256) {
    throw anotherRequest(standing.frontier);
  }
  if (standing.frontier.state.phase === "submitted") {
    await ports.hints.send(hintOf(standing.frontier));
  }
  return standing.frontier;
}

async function loadRun(key: RunKey, ports: ResumePorts): Promise<readonly [PlanRecord, RunRecord]> {
  const [plan, run] = await Promise.all([ports.plans.get(key), ports.runs.getRun(key)]);
  if (plan === undefined || run === undefined) {
    throw new InfrastructureError({ message: `Plan ${key.planId} or its run ${key.run} is not there.` });
  }
  return [plan, run];
}

/** What did not land, in plan order: what failed or was skipped, and what the run never came to. */
function* openOrdinals(ended: Frontier, state: LiveRunState, runPlan: RunPlan): Iterable<number> {
  yield* [...state.notLanded.keys()].sort((a, b) => a - b);
  for (let position = ended.position; position < ended.decisionCount; position += 1) {
    const ordinal = runPlan.list.ordinalAt(position);
    if (ordinal !== undefined) {
      yield ordinal;
    }
  }
}

async function correctionsWith(
  given: Corrections | undefined,
  {
    ended,
    state,
    runPlan,
  }: { readonly ended: Frontier; readonly state: LiveRunState; readonly runPlan: RunPlan },
): Promise<Corrections> {
  for (const id of Object.keys(given ?? {})) {
    const field = jsonPointer(["toolCalls", id]);
    const ordinal = await runPlan.source.ordinalOf(id);
    if (ordinal === undefined) {
      throw new ValidationError({
        field,
        message: `Plan ${ended.planId} has no decision ${JSON.stringify(id)}; corrected calls are given by the ids of its decisions.`,
      });
    }
    const position = runPlan.list.positionOf(ordinal);
    const landed = position === undefined || (position < ended.position && !state.notLanded.has(ordinal));
    if (landed) {
      throw new ValidationError({
        field,
        message: `Decision ${id} landed; only decisions that failed, were skipped or never ran take corrected calls.`,
      });
    }
  }
  return { ...runPlan.corrections, ...given };
}

function correctionBytes(corrections: Corrections): Uint8Array | undefined {
  return Object.keys(corrections).length === 0 ? undefined : Buffer.from(canonicalJson(corrections));
}

async function storeCorrections(
  corrections: Corrections,
  content: ContentStore,
): Promise<string | undefined> {
  const bytes = correctionBytes(corrections);
  return bytes === undefined ? undefined : (await content.put([bytes]))[0];
}

/** A request that comes again when its run is under way already is answered as before; another one is in conflict with it. */
async function requireSameRequest(
  frontier: Frontier,
  toolCalls: Corrections,
  ports: ResumePorts,
): Promise<void> {
  const [, run] = await loadRun(frontier, ports);
  const before = await ports.runs.getRun({ ...frontier, run: frontier.run - 1 });
  const earlier = before === undefined ? {} : await loadCorrections(before, ports.contentOf(frontier.tenant));
  const bytes = correctionBytes({ ...earlier, ...toolCalls });
  if (before === undefined || bytes === undefined || run.correctionsSha256 !== sha256Hex(bytes)) {
    throw anotherRequest(frontier);
  }
}

function anotherRequest(frontier: Frontier): ConflictError {
  const { phase } = frontier.state;
  return new ConflictError({
    code: "plan_running",
    message: `Run ${frontier.run} of plan ${frontier.planId} is ${phase}, with other corrected calls than these. Corrected calls are taken when a run ended: wait for it, or cancel it.`,
    details: { run: frontier.run, phase },
  });
}
