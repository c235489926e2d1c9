import type { CompiledDecision, PlanRecord } from "../plan/compiled-plan.ts";
import { callInputs, inputBytes } from "./call-inputs.ts";
import { commitStep, type StepCommit, stillAt } from "./commit-step.ts";
import type { DecisionExecutor, ExecutedDecision } from "./decision-executor.ts";
import type { DecisionRecord } from "./decision-record.ts";
import { externalGate } from "./external-gate.ts";
import type { ExternalIntent, Frontier, RunUnits } from "./frontier.ts";
import { keepContents } from "./keep-contents.ts";
import { type LiveRunState, loadRunState } from "./live-run-state.ts";
import { isWaiting, rejectedRecord, releaseWanted } from "./release-gate.ts";
import { loadRunPlan } from "./run-decisions.ts";
import { RunMoved } from "./run-moved.ts";
import type { RunPorts } from "./run-ports.ts";
import { awaitRelease, heartbeat, recordIntent } from "./run-progress.ts";
import type { RunRecord } from "./run-record.ts";
import { addUnits, noUnits } from "./run-units.ts";
import { missingDependencies, skippedRecord } from "./skip-decision.ts";
import { stepBuilder } from "./step-builder.ts";
import { whileAtWork } from "./while-at-work.ts";

const decisionsPerStep = 32;
const stepIntervalMs = 250;
const stepSizeBytes = 300 * 1024;
const heartbeatIntervalMs = 2_000;

export interface WorkOptions {
  readonly plan: PlanRecord;
  readonly run: RunRecord;
  /** No decision is begun after this time, but for the first. */
  readonly stopAtEpochMs: number;
  /** Below this position every step holds one decision, so that a decision that kills its worker is found. */
  readonly singleBelow: number;
  /** Which worker this is: the revision at which it began. */
  readonly watch: number;
  readonly spent: Partial<RunUnits>;
  /** The move to the frontier that the work begins at, still under way: what it rejects with is thrown before anything is written. */
  readonly opened: Promise<void>;
}

/**
 * Executes a run in plan order on its exact state, from the frontier on, and makes it final step by step: after 32 decisions,
 * 250 ms or some 300 KB, and before and after every external call. The decisions behind a full step are executed while that
 * becomes final. Answers the frontier that it left: ended, waiting for an approval, or further along because its time was
 * up. Throws `RunMoved` when somebody else moved the run. Once it threw anything, what it knew of the run is worth nothing;
 * nothing that was final is lost.
 */
export async function workOnRun(opening: Frontier, options: WorkOptions, ports: RunPorts): Promise<Frontier> {
  const content = ports.contentOf(opening.tenant);
  const runPlan = await loadRunPlan(options, content);
  let frontier = opening;
  let session = await openSession(frontier, options, ports);
  let builder = stepBuilder(frontier);
  let pendingSinceEpochMs = 0;
  let executed = 0;
  let performed = 0;
  let unspent = options.spent;
  let workedFromEpochMs = ports.clock.now();

  const turns = inTurns();

  /** The step that is being made final while the decisions behind it are executed (at first the opening move); one at a time. */
  let underWay: Promise<void> = options.opened;

  /** Throws what came of the step under way, should it be no part of the run. */
  async function settle(): Promise<void> {
    const commit = underWay;
    underWay = Promise.resolve();
    await commit;
  }

  async function commit(step: Omit<StepCommit, "watch">): Promise<void> {
    const committed = await commitStep(frontier, { ...step, watch: options.watch }, ports);
    frontier = committed.frontier;
    if (committed.adopted) {
      throw new StateDiverged();
    }
  }

  /** Begins to make final what was executed. What is executed from now on is a proposal on top of a proposal, no more. */
  async function write(): Promise<void> {
    await settle();
    if (builder.decisionCount === 0) {
      return;
    }
    const now = ports.clock.now();
    const spent = addUnits(addUnits(noUnits, unspent), { workMs: Math.max(0, now - workedFromEpochMs) });
    unspent = {};
    workedFromEpochMs = now;
    const { state, executor } = session;
    const step = builder.step(ports.version);
    const end = builder.end();
    state.stepEnded();
    const isCheckpoint = state.checkpointDue && end.position < frontier.decisionCount;
    underWay = commit({
      step,
      spent,
      checkpoint: async () => (isCheckpoint ? state.checkpoint(end.position) : undefined),
    }).then(() => {
      executor.contentsStored(step.contents.keys());
      executor.contentsStored(step.contentAt.keys());
    });
    // Whoever settles it hears of it.
    underWay.catch(() => undefined);
    builder = stepBuilder(end);
    if (isCheckpoint) {
      // Nothing may come into the state before.
      await settle();
    }
  }

  async function flush(): Promise<void> {
    await write();
    await settle();
  }

  async function touch(): Promise<void> {
    if (builder.decisionCount > 0) {
      return flush();
    }
    await settle();
    for (;;) {
      const next = heartbeat(frontier, options.watch, ports.clock.now());
      if (await ports.frontiers.move(next)) {
        frontier = next;
        return;
      }
      frontier = await stillAt(frontier, ports);
    }
  }

  async function moveToIntent(decide: (frontier: Frontier) => ExternalIntent | undefined): Promise<boolean> {
    const intent = decide(frontier);
    if (intent === undefined) {
      return false;
    }
    const next = recordIntent(frontier, intent, ports.clock.now());
    const moved = await ports.frontiers.move(next);
    frontier = moved ? next : frontier;
    return moved;
  }

  function dueInMs(): number {
    return builder.decisionCount > 0
      ? Math.max(0, pendingSinceEpochMs + stepIntervalMs - ports.clock.now())
      : heartbeatIntervalMs;
  }

  function execute(decision: CompiledDecision): Promise<ExecutedDecision> {
    const gate = externalGate({
      key: { tenant: frontier.tenant, planId: frontier.planId, run: frontier.run },
      decision,
      ports,
      // In its turn: a heartbeat between the look at the frontier and the move could bring in another worker's intent.
      recordIntent: (decide) => turns(() => moveToIntent(decide)),
      // The first thing that a worker does is always begun: to put that off would be to put it off for ever.
      hasTimeFor: (timeLimitMs) => {
        const isFirst = executed === 0 && performed === 0;
        performed += 1;
        return isFirst || ports.clock.now() + timeLimitMs <= options.stopAtEpochMs;
      },
    });
    return whileAtWork(() => session.executor.execute(decision, gate), {
      timer: ports.timer,
      dueInMs,
      beat: () => turns(touch),
    });
  }

  async function add(decision: CompiledDecision, startedAtEpochMs: number): Promise<void> {
    const missing = missingDependencies(decision, session.state.notLanded);
    if (missing.length > 0) {
      const record = skippedRecord(decision, missing, startedAtEpochMs);
      builder.add(record, { inStep: new Map(), at: new Map() });
      session.state.add(record, { step: builder.ref, inStep: new Map() });
      return;
    }
    const rejected = rejectedRecord(frontier, decision, startedAtEpochMs);
    if (rejected !== undefined) {
      builder.add(rejected, { inStep: new Map(), at: new Map() });
      session.state.add(rejected, { step: builder.ref, inStep: new Map() });
      return;
    }
    const { contents, ...result } = await execute(decision);
    const record: DecisionRecord = {
      ordinal: decision.ordinal,
      decisionId: decision.id,
      ...result,
      startedAtEpochMs,
      durationMs: Math.max(0, ports.clock.now() - startedAtEpochMs),
    };
    // Tools were given copies of the inputs: these are as the stored plan has them.
    const inputs = inputBytes(decision);
    const kept = await keepContents(record, contents, { inputs, builder, state: session.state, content });
    unspent = addUnits(addUnits(noUnits, unspent), { contentPuts: kept.puts });
    builder.add(record, kept);
    session.state.add(record, { step: builder.ref, inStep: kept.inStep });
    session.executor.contentsStored(kept.stored);
  }

  /** Whether a decision with external calls may be gone on with; one that must wait moves the run to where it waits. */
  async function isReleased(decision: CompiledDecision): Promise<boolean> {
    const missing = missingDependencies(decision, session.state.notLanded);
    const wanted = releaseWanted(frontier, decision, { ...options, missing: missing.length });
    if (wanted === undefined) {
      return true;
    }
    const waiting = awaitRelease(frontier, wanted, ports.clock.now());
    if (!(await ports.frontiers.move(waiting))) {
      throw new RunMoved();
    }
    frontier = waiting;
    return false;
  }

  async function next(): Promise<void> {
    const position = builder.end().position;
    const decision = await runPlan.at(position);
    const external = session.executor.isExternal(decision);
    if (external) {
      await turns(flush);
      if (!(await turns(() => isReleased(decision)))) {
        return;
      }
    }
    const startedAtEpochMs = ports.clock.now();
    if (builder.decisionCount === 0) {
      pendingSinceEpochMs = startedAtEpochMs;
    }
    await add(decision, startedAtEpochMs);
    executed += 1;
    const full =
      builder.decisionCount >= decisionsPerStep ||
      builder.sizeBytes >= stepSizeBytes ||
      ports.clock.now() - pendingSinceEpochMs >= stepIntervalMs;
    if (external || position < options.singleBelow || position + 1 === frontier.decisionCount) {
      await turns(flush);
    } else if (full) {
      await turns(write);
    }
  }

  async function work(): Promise<Frontier> {
    while (frontier.state.phase === "running") {
      try {
        if (executed > 0 && ports.clock.now() >= options.stopAtEpochMs) {
          await turns(flush);
          return frontier;
        }
        await next();
        if (isWaiting(frontier)) {
          return frontier;
        }
      } catch (error) {
        if (!(error instanceof StateDiverged)) {
          throw error;
        }
        builder = stepBuilder(frontier);
        if (frontier.state.phase === "running") {
          session = await openSession(frontier, options, ports);
        }
      }
    }
    return frontier;
  }

  try {
    return await work();
  } finally {
    // Nothing goes on behind the caller's back.
    await underWay.catch(() => undefined);
  }
}

/** The step that became final was another worker's: the state in memory is not the run's. */
class StateDiverged extends RunMoved {}

interface Session {
  readonly state: LiveRunState;
  readonly executor: DecisionExecutor;
}

async function openSession(
  frontier: Frontier,
  { plan }: Pick<WorkOptions, "plan">,
  ports: RunPorts,
): Promise<Session> {
  const content = ports.contentOf(frontier.tenant);
  const inputs = callInputs(frontier, ports, plan);
  const state = await loadRunState(frontier, { steps: ports.steps, content, inputs });
  return { state, executor: await ports.openExecutor(plan, state) };
}

/** One after another, whether or not the one before failed. */
function inTurns(): <T>(operation: () => Promise<T>) => Promise<T> {
  let last: Promise<unknown> = Promise.resolve();
  return (operation) => {
    const turn = last.then(operation, operation);
    last = turn.catch(() => undefined);
    return turn;
  };
}
