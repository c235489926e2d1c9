import { InfrastructureError, NotFoundError, ValidationError } from "../errors/planledger-error.ts";
import type { DecisionRecord } from "./decision-record.ts";
import { isEnded } from "./ended-run.ts";
import type { Frontier } from "./frontier.ts";
import type { RunEvent } from "./run-event.ts";
import type { RunRecord } from "./run-record.ts";
import type { PlanKey, RunKey } from "./run-store.ts";
import type { RunViewPorts } from "./run-view-ports.ts";
import { readSpill } from "./spill-events.ts";
import type { Step } from "./step.ts";

export interface EventsPage {
  readonly events: readonly RunEvent[];
  /** The records of the decisions whose end these events tell, by the event's number. */
  readonly decisions: ReadonlyMap<number, DecisionRecord>;
  /** Always there: pass it back to see what comes later. */
  readonly cursor: string;
  /**
   * No event will follow, unless somebody resumes the plan or decides about its changeset: the latest run has ended, no apply
   * is due or under way, and the page reaches its end.
   */
  readonly ended: boolean;
}

/** After which event to go on, and where that is: a hint that saves the search, and is checked. */
interface Position {
  readonly afterSeq: number;
  readonly run: number;
  readonly from: number;
}

const stepsPerRead = 4;

/**
 * Events of a plan over all its runs, by number and without gaps: those of the steps, and behind them those that wait on the
 * frontier. A page costs the steps that hold it; a cursor from nowhere costs a few reads more to find the place.
 */
export async function readEvents(
  key: PlanKey,
  page: { readonly cursor?: string; readonly limit: number },
  ports: RunViewPorts,
): Promise<EventsPage> {
  const latest = await ports.frontiers.latest(key);
  if (latest === undefined) {
    throw new NotFoundError({ code: "not_found", message: `There is no plan ${key.planId}.` });
  }
  let position = page.cursor === undefined ? start : parseCursor(page.cursor);
  if (position.afterSeq > latest.lastSeq || position.run > latest.run) {
    throw invalidCursor();
  }
  const events: RunEvent[] = [];
  const decisions = new Map<number, DecisionRecord>();
  while (events.length < page.limit && position.afterSeq < latest.lastSeq) {
    const run = await runOf(position, { key, latest }, ports);
    const frontier = run.run === latest.run ? latest : await frontierOf({ ...key, run: run.run }, ports);
    const more = await eventsOfRun(frontier, run, { position, limit: page.limit - events.length }, ports);
    events.push(...more.events);
    for (const [seq, decision] of more.decisions) {
      decisions.set(seq, decision);
    }
    position = more.position;
  }
  return {
    events,
    decisions,
    cursor: `${position.afterSeq}.${position.run}.${position.from}`,
    ended: isAtRest(latest) && position.afterSeq === latest.lastSeq,
  };
}

/** The cursor that reads on behind an event; it costs a few reads more than that of a page's end. */
export function eventsCursorBehind({ seq, run }: RunEvent): string {
  return `${seq}.${run}.0`;
}

const start: Position = { afterSeq: 0, run: 1, from: 0 };

const isAtRest = (frontier: Frontier): boolean =>
  isEnded(frontier) && frontier.autoApply === undefined && frontier.disposition?.apply === undefined;

async function frontierOf(key: RunKey, ports: RunViewPorts): Promise<Frontier> {
  const frontier = await ports.frontiers.read(key);
  if (frontier === undefined) {
    throw new InfrastructureError({ message: `Run ${key.run} of plan ${key.planId} has no frontier (yet).` });
  }
  return frontier;
}

/** The run that holds the next event: the last one that began before it. */
async function runOf(
  { afterSeq, run: hint }: Position,
  { key, latest }: { readonly key: PlanKey; readonly latest: Frontier },
  ports: RunViewPorts,
): Promise<RunRecord> {
  const recordOf = async (run: number): Promise<RunRecord> => {
    const record = await ports.runs.getRun({ ...key, run });
    if (record === undefined) {
      throw new InfrastructureError({ message: `Run ${run} of plan ${key.planId} has no record.` });
    }
    return record;
  };
  let record = await recordOf(Math.max(1, hint));
  while (record.startsFrom.lastSeq > afterSeq && record.run > 1) {
    record = await recordOf(record.run - 1);
  }
  while (record.run < latest.run) {
    const next = await recordOf(record.run + 1);
    if (next.startsFrom.lastSeq > afterSeq) {
      break;
    }
    record = next;
  }
  return record;
}

interface Wanted {
  readonly position: Position;
  readonly limit: number;
}

/** At least one event of the run, if it has one after the position. */
async function eventsOfRun(
  frontier: Frontier,
  run: RunRecord,
  { position, limit }: Wanted,
  ports: RunViewPorts,
): Promise<Pick<EventsPage, "events" | "decisions"> & { readonly position: Position }> {
  const { afterSeq } = position;
  const firstWaiting = frontier.lastSeq - frontier.controlEvents.length + 1;
  const spills = frontier.disposition?.spills ?? [];
  const events: RunEvent[] = [];
  const decisions = new Map<number, DecisionRecord>();
  let from = position.run === run.run ? position.from : 0;
  if (afterSeq + 1 < (spills[0]?.firstSeq ?? firstWaiting)) {
    const steps = await stepsFrom(
      { frontier, firstSeq: run.startsFrom.lastSeq + 1, seq: afterSeq + 1, from },
      ports,
    );
    for (const step of steps) {
      const wanted = step.events.filter(({ seq }) => seq > afterSeq).slice(0, limit - events.length);
      events.push(...wanted);
      for (const { seq, ordinal } of wanted) {
        const decision = step.decisions.find((one) => one.ordinal === ordinal);
        if (decision !== undefined) {
          decisions.set(seq, decision);
        }
      }
      const taken = wanted.at(-1)?.seq === step.events.at(-1)?.seq;
      from = taken ? step.from + step.decisions.length : step.from;
      if (events.length >= limit) {
        break;
      }
    }
  }
  const reached = (): number => events.at(-1)?.seq ?? afterSeq;
  for (const spill of spills) {
    if (events.length >= limit || reached() + 1 < spill.firstSeq) break;
    if (reached() >= spill.lastSeq) continue;
    const { events: spilled } = await readSpill(frontier, spill, ports);
    const next = reached();
    events.push(...spilled.filter(({ seq }) => seq > next).slice(0, limit - events.length));
  }
  const last = reached();
  if (last + 1 >= firstWaiting) {
    events.push(...frontier.controlEvents.filter(({ seq }) => seq > last).slice(0, limit - events.length));
  }
  return { events, decisions, position: { afterSeq: events.at(-1)?.seq ?? afterSeq, run: run.run, from } };
}

interface Search {
  readonly frontier: Frontier;
  readonly firstSeq: number;
  readonly seq: number;
  readonly from: number;
}

/** Steps from the one that holds event `seq` on. `from` is where it is likely to be. */
async function stepsFrom(search: Search, ports: RunViewPorts): Promise<readonly Step[]> {
  const { frontier, seq, from } = search;
  const { tenant, planId, run, position: before } = frontier;
  const range = (at: number, limit: number) =>
    ports.steps.range({ tenant, planId, run, from: at, before, limit });
  const likely = from < before ? await range(from, stepsPerRead) : [];
  return holds(likely[0], seq) ? likely : range(await findStep(search, range), stepsPerRead);
}

/**
 * Every decision has one event at least, so positions and numbers never run apart by more than the control events between:
 * the first guess is close, and every miss bounds the next one on both sides.
 */
async function findStep(
  { frontier, firstSeq, seq }: Search,
  range: (at: number, limit: number) => Promise<readonly Step[]>,
): Promise<number> {
  let low = 0;
  let high = Math.min(frontier.position - 1, seq - firstSeq);
  let guess = high;
  while (low <= high) {
    const [step] = await range(guess, 1);
    const first = step?.events[0]?.seq;
    const last = step?.events.at(-1)?.seq;
    if (step === undefined || first === undefined || last === undefined) {
      break;
    }
    if (first <= seq && seq <= last) {
      return step.from;
    }
    if (seq < first) {
      high = step.from - 1;
      guess = Math.max(low, step.from - (first - seq));
    } else {
      low = step.from + step.decisions.length;
      high = Math.min(high, low + (seq - last - 1));
      guess = (low + high) >>> 1;
    }
  }
  throw new InfrastructureError({
    message: `Event ${seq} of plan ${frontier.planId} is in no step of run ${frontier.run}.`,
  });
}

function holds(step: Step | undefined, seq: number): boolean {
  const first = step?.events[0]?.seq;
  const last = step?.events.at(-1)?.seq;
  return first !== undefined && last !== undefined && first <= seq && seq <= last;
}

function parseCursor(cursor: string): Position {
  const match = /^(\d{1,12})\.(\d{1,6})\.(\d{1,10})$/.exec(cursor);
  if (match === null) {
    throw invalidCursor();
  }
  const [afterSeq = 0, run = 1, from = 0] = match.slice(1).map(Number);
  return { afterSeq, run, from };
}

function invalidCursor(): ValidationError {
  return new ValidationError({
    field: "cursor",
    message: "cursor is none that this plan's events gave. Leave it out to begin at the first event.",
  });
}
