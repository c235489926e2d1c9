import { InfrastructureError, PlanledgerError } from "../errors/planledger-error.ts";
import type { BufferedBases } from "./buffered-bases.ts";
import type { SyncRules } from "./decide-sync.ts";
import { describeConflict, describeOlderVersion, describeSkip } from "./describe-decision.ts";
import { effectiveBase } from "./effective-base.ts";
import type { LocalEntry, LocalItems } from "./local-items.ts";
import { decideStep, localState, remoteState, type SyncStep } from "./plan-sync.ts";
import type { SyncContent } from "./sync-content.ts";
import type { SkipReason } from "./sync-decision.ts";
import type { SyncOutcome } from "./sync-outcome.ts";
import type { SyncRow, SyncTransport } from "./sync-transport.ts";
import type { ResendPorts } from "./until-processed.ts";

/** A step under way. `planned` is what the plan said, `round` how often it was decided about. */
export interface SyncWork extends SyncStep {
  readonly planned: SyncStep["decision"]["kind"];
  readonly round: number;
}

/** What the parts of a run share. */
export interface SyncRun {
  readonly transport: SyncTransport;
  readonly local: LocalItems;
  readonly content: SyncContent;
  readonly resend: ResendPorts & { readonly signal: AbortSignal | undefined };
  readonly bases: BufferedBases;
  readonly otherServerIds: ReadonlySet<string>;
  readonly rules: SyncRules;
  readonly tally: {
    requested(kind: SyncWork["key"]["kind"], requests: number): void;
    wrote(kind: SyncWork["key"]["kind"]): void;
  };
  readonly ended: (outcome: SyncOutcome) => void;
  readonly queues: {
    readonly push: SyncWork[];
    readonly pull: SyncWork[];
    readonly remove: SyncWork[];
    /** Unchanged items whose server id is to be noted. */
    readonly note: SyncWork[];
  };
}

const maximumRounds = 5;

/** Hands a step to the queue that carries it out; what needs nothing ends here. */
export function enqueue(run: SyncRun, work: SyncWork): void {
  const { key, row, entry, decision } = work;
  const { bases, queues } = run;
  const sides = { local: localState(entry), remote: remoteState(row) };
  const settleAsFound = () => {
    if (bases.of(key).intents.length > 0) bases.settle(key, effectiveBase(bases.of(key), sides));
  };
  switch (decision.kind) {
    case "create":
    case "update":
      queues.push.push(work);
      return;
    case "pull":
      settleAsFound();
      queues.pull.push(work);
      return;
    case "delete_remote":
    case "delete_local":
      queues.remove.push(work);
      return;
    case "none":
      if (decision.agreed) bases.settle(key, row === undefined ? { kind: "unknown" } : { kind: "absent" });
      return;
    case "skip": {
      const noted =
        row?.deleted === false && isSame(decision.reason) ? serverIdHere(run, work, row) : undefined;
      if (decision.reason === "same_on_both_sides" && row !== undefined) settleOn(run, work, row);
      else settleAsFound();
      if (noted !== undefined && entry !== undefined && entry.serverId !== noted) queues.note.push(work);
      else skipped(run, work, decision.reason);
      return;
    }
    case "conflict": {
      settleAsFound();
      run.ended({
        ...about(work),
        did: "conflict",
        reason: describeConflict(decision.reason, versionsOf(work)),
      });
      return;
    }
    case "error":
      settleAsFound();
      failed(run, work, { reason: describeOlderVersion(decision), field: "version" });
      return;
    default:
      decision satisfies never;
  }
}

/** The server's id that an item is to hold here: this service's, unless it holds that of another that it is synced with too. */
export function serverIdHere(
  { otherServerIds }: Pick<SyncRun, "otherServerIds">,
  { entry }: Pick<SyncStep, "entry">,
  { serverId }: SyncRow,
): string {
  const known = entry?.serverId;
  return known !== undefined && otherServerIds.has(known) ? known : serverId;
}

const isSame = (reason: SkipReason): boolean => reason === "unchanged" || reason === "same_on_both_sides";

/** Decides again about an item that turned out to be other than it was found. Deletions that were not planned wait. */
export function decideAgain(
  run: SyncRun,
  work: SyncWork,
  found: { readonly entry: LocalEntry | undefined; readonly row: SyncRow | undefined },
): void {
  if (work.round >= maximumRounds) {
    failed(run, work, { reason: `it kept changing while the sync ran (${maximumRounds} times); sync again` });
    return;
  }
  const base = run.bases.of(work.key);
  const decision = decideStep({ ...found, base }, run.rules);
  const deletes = decision.kind === "delete_local" || decision.kind === "delete_remote";
  if (deletes && decision.kind !== work.planned) skipped(run, work, "changed_while_syncing");
  else enqueue(run, { ...work, ...found, decision, round: work.round + 1 });
}

/** Both sides hold what the row says. */
export function settleOn(run: SyncRun, { key }: SyncWork, row: SyncRow): void {
  const { serverId, version, contentSha256 } = row;
  run.bases.settle(key, { kind: "content", serverId, version, contentSha256 });
}

export function skipped(run: SyncRun, work: SyncWork, because: SkipReason): void {
  run.ended({ ...about(work), did: "skipped", because, reason: describeSkip(because) });
}

export interface ItemProblem {
  readonly reason: string;
  readonly code?: string;
  readonly field?: string | undefined;
}

/** The reason names where the item stands here, as the reasons of what cannot be read do. */
export function failed(
  { ended }: Pick<SyncRun, "ended">,
  step: SyncStep,
  { reason, ...problem }: ItemProblem,
): void {
  ended({ ...about(step), did: "error", reason: placed(step, reason), ...problem });
}

/** What an item's own problem comes to; a problem that is not the item's ends the run. */
export function failedBy({ ended }: Pick<SyncRun, "ended">, step: SyncStep, error: unknown): void {
  ended({ ...about(step), did: "error", ...itemProblem(step, error) });
}

/** What an error says of one item. One that is not the item's is thrown on. */
function itemProblem(step: SyncStep, error: unknown): ItemProblem {
  if (!(error instanceof PlanledgerError) || error instanceof InfrastructureError) throw error;
  const field = error.details.field;
  return {
    reason: placed(step, error.message),
    code: error.code,
    ...(typeof field === "string" && field !== "" ? { field: field.replace(/^\//, "") } : {}),
  };
}

const placed = ({ entry }: SyncStep, reason: string): string =>
  entry === undefined || reason.startsWith(entry.place) ? reason : `${entry.place}: ${reason}`;

export const versionsOf = ({ entry, row }: SyncStep) => ({
  local: entry?.version,
  server: row?.deleted === false ? row.version : undefined,
});

export const about = (work: SyncStep) => ({ ...work.key, versions: versionsOf(work) });

export const resolvedBy = ({ decision }: SyncStep) =>
  "resolved" in decision ? { resolved: decision.resolved } : {};
