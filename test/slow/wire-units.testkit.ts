import type { WireCall } from "./aws-wire.testkit.ts";

/** What some work used. Requests are those that are billed besides the table's: of the queue, of objects, of functions. */
export interface UsedUnits {
  readonly writeUnits: number;
  readonly readUnits: number;
  readonly tableRequests: number;
  readonly queueRequests: number;
  readonly objectGets: number;
  readonly objectPuts: number;
  /** Receives that answered messages: each is one invocation of the worker. */
  readonly invocations: number;
  /** To the table, the queue and the bucket, headers aside. */
  readonly sentBytes: number;
}

export function unitsOf(calls: readonly WireCall[]): UsedUnits {
  const sum = (of: (call: WireCall) => number) => calls.reduce((total, call) => total + of(call), 0);
  const count = (matches: (call: WireCall) => boolean) => calls.filter(matches).length;
  return {
    writeUnits: sum((call) => call.writeUnits),
    readUnits: sum((call) => call.readUnits),
    tableRequests: count(({ service }) => service === "dynamodb"),
    queueRequests: count(({ service }) => service === "sqs"),
    objectGets: count(({ service, operation }) => service === "s3" && operation !== "PUT"),
    objectPuts: count(({ service, operation }) => service === "s3" && operation === "PUT"),
    invocations: count(({ messages }) => messages > 0),
    sentBytes: sum(({ requestBytes }) => requestBytes),
  };
}

export function perDecision(used: UsedUnits, decisions: number): UsedUnits {
  return {
    writeUnits: used.writeUnits / decisions,
    readUnits: used.readUnits / decisions,
    tableRequests: used.tableRequests / decisions,
    queueRequests: used.queueRequests / decisions,
    objectGets: used.objectGets / decisions,
    objectPuts: used.objectPuts / decisions,
    invocations: used.invocations / decisions,
    sentBytes: used.sentBytes / decisions,
  };
}

/** Of the queue and of functions: what the budget of half a request a decision is about. */
export const billedRequests = (used: UsedUnits): number => used.queueRequests + used.invocations;

/** The position of the first decision of a step that a call wrote. */
export function stepWritten({ operation, target, status }: WireCall): number | undefined {
  const found = operation === "PutItem" && status === 200 ? /#S#\d{10} (\d{10})#\d{10}$/.exec(target) : null;
  return found === null ? undefined : Number(found[1]);
}

export interface CallWindow {
  readonly calls: readonly WireCall[];
  readonly decisions: number;
  /** Of 32 decisions each. A step with fewer was cut by the clock, 250 ms, and tells how busy the machine was. */
  readonly fullSteps: number;
  readonly cutSteps: number;
}

const fullStep = 32;

/** The calls from the write of the step at or behind `from` up to that of the last step at or before `to`: whole steps. */
export function callsBetween(
  calls: readonly WireCall[],
  { from, to }: { readonly from: number; readonly to: number },
): CallWindow {
  const steps = calls.flatMap((call, index) => {
    const position = stepWritten(call);
    return position === undefined || position < from || position > to ? [] : [{ position, index }];
  });
  const [first] = steps;
  const last = steps.at(-1);
  if (first === undefined || last === undefined || last.position <= first.position) {
    throw new Error(`no steps between ${from} and ${to}`);
  }
  const sizes = steps.slice(1).map(({ position }, index) => position - (steps[index]?.position ?? 0));
  const fullSteps = sizes.filter((size) => size === fullStep).length;
  return {
    calls: calls.slice(first.index, last.index),
    decisions: last.position - first.position,
    fullSteps,
    cutSteps: sizes.length - fullSteps,
  };
}

/** Write units of a full step, the move over it included: the mean over those of a window. */
export function writeUnitsOfFullStep({ calls }: CallWindow): number {
  let steps = 0;
  let units = 0;
  const starts = calls.flatMap((call, index) => {
    const position = stepWritten(call);
    return position === undefined ? [] : [{ position, index }];
  });
  for (const [at, { position, index }] of starts.entries()) {
    const next = starts[at + 1];
    if (next === undefined || next.position - position !== fullStep) continue;
    steps += 1;
    units += unitsOf(calls.slice(index, next.index)).writeUnits;
  }
  return units / steps;
}
