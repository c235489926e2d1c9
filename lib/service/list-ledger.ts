import * as z from "zod/mini";
import { decodeCursor, encodeCursor } from "../api/cursor.ts";
import type { ledgerReply } from "../api/plan-replies.ts";
import { InfrastructureError } from "../errors/planledger-error.ts";
import type { LedgerBodyLine } from "../ledger/ledger-line.ts";
import {
  decisionLine,
  eventLine,
  headerLine,
  headLine,
  runLine,
  sealLine,
} from "../ledger/ledger-lines-of.ts";
import type { PlanRecord } from "../plan/compiled-plan.ts";
import type { DecisionRecord } from "../run/decision-record.ts";
import { isEnded } from "../run/ended-run.ts";
import type { Signature } from "../run/frontier.ts";
import { eventsCursorBehind, readEvents } from "../run/read-events.ts";
import type { RunEvent } from "../run/run-event.ts";
import type { PlanKey, RunKey } from "../run/run-store.ts";
import { signedHeads } from "../run/spill-events.ts";
import type { PlanViewPorts } from "./plan-view-ports.ts";
import { planNotFound } from "./resolve-plan-id.ts";

const defaultLimit = 200;
/** Of JSON on one page: well below what a function may give back. */
const pageMaximumBytes = 3 * 1024 * 1024;

/**
 * A page of the ledger's lines in order: the header on the first one, then the records, each signed head behind
 * its own. `limit` counts records; a page ends earlier where it would become too large for a reply.
 */
export const listLedger = async (
  ports: PlanViewPorts,
  key: PlanKey,
  query: { readonly limit?: number | undefined; readonly cursor?: string | undefined },
): Promise<z.output<typeof ledgerReply>> => {
  const listing = `ledger ${key.planId}`;
  const [plan, latest] = await Promise.all([ports.plans.get(key), ports.frontiers.latest(key)]);
  if (plan === undefined || latest === undefined) throw planNotFound(key.planId);
  const limit = query.limit ?? defaultLimit;
  const cursor = query.cursor === undefined ? undefined : decodeCursor(query.cursor, listing, z.string());
  const page = await readEvents(key, { limit, ...(cursor === undefined ? {} : { cursor }) }, ports);
  const lines: LedgerBodyLine[] = cursor === undefined ? [headerOf(plan)] : [];
  const linesOf = linesOfPage(key, ports);
  let sizeBytes = 0;
  let last: RunEvent | undefined;
  for (const event of page.events) {
    const added = await linesOf(event, page.decisions.get(event.seq));
    sizeBytes += Buffer.byteLength(JSON.stringify(added));
    if (last !== undefined && sizeBytes > pageMaximumBytes) break;
    lines.push(...added);
    last = event;
  }
  return {
    planId: key.planId,
    lines,
    ...(last !== undefined && last.seq < latest.lastSeq
      ? { cursor: encodeCursor(listing, eventsCursorBehind(last)) }
      : {}),
  };
};

const headerOf = ({ planId, documentSha256, plan }: PlanRecord): LedgerBodyLine =>
  headerLine({
    planId,
    documentSha256,
    baseTrees: Object.fromEntries(plan.resources.map(({ name, baseTree }) => [name, baseTree])),
  });

/** The lines of one page's events. Frontiers are read once each, and after the events, so that they hold their heads. */
const linesOfPage = (key: PlanKey, ports: PlanViewPorts) => {
  const headsByRun = new Map<number, Promise<RunHeads>>();
  const headsOf = (run: number): Promise<RunHeads> => {
    const heads = headsByRun.get(run) ?? readHeads({ ...key, run }, ports);
    headsByRun.set(run, heads);
    return heads;
  };
  const headBehind = async ({ seq, run, ledgerHead }: RunEvent): Promise<readonly LedgerBodyLine[]> => {
    const { seal, signed } = await headsOf(run);
    if (seal?.sealedSeq === seq) {
      const { digest, signature } = seal;
      return [sealLine({ planId: key.planId, run, digest, seq, ledgerHead }, signature)];
    }
    const signature = signed.get(seq);
    return signature === undefined ? [] : [headLine({ planId: key.planId, seq, ledgerHead }, signature)];
  };
  return async (
    event: RunEvent,
    decision: DecisionRecord | undefined,
  ): Promise<readonly LedgerBodyLine[]> => {
    if (decision !== undefined) return [decisionLine(event, decision)];
    if (event.type !== "runtime_execute_started") return [eventLine(event), ...(await headBehind(event))];
    const run = await ports.runs.getRun({ ...key, run: event.run });
    if (run === undefined) {
      throw new InfrastructureError({ message: `Run ${event.run} of plan ${key.planId} has no record.` });
    }
    return [runLine(event, run)];
  };
};

interface RunHeads {
  readonly seal:
    | { readonly sealedSeq: number; readonly digest: string; readonly signature: Signature }
    | undefined;
  readonly signed: ReadonlyMap<number, Signature>;
}

const readHeads = async (key: RunKey, ports: PlanViewPorts): Promise<RunHeads> => {
  const frontier = await ports.frontiers.read(key);
  if (frontier === undefined || !isEnded(frontier)) return { seal: undefined, signed: new Map() };
  const heads = await signedHeads(frontier, ports);
  return { seal: frontier.state, signed: new Map(heads.map(({ seq, signature }) => [seq, signature])) };
};
