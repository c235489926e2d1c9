import * as z from "zod/mini";
import { decodeCursor, encodeCursor } from "../api/cursor.ts";
import type { ledgerReply } from "../api/plan-replies.ts";
import { InfrastructureError } from "../errors/planledger-error.ts";
import type { LedgerBodyLine } from "../ledger/ledger-line.ts";
import { decisionLine, eventLine, headerLine, runLine, sealLine } from "../ledger/ledger-lines-of.ts";
import type { PlanRecord } from "../plan/compiled-plan.ts";
import type { DecisionRecord } from "../run/decision-record.ts";
import { eventsCursorBehind, readEvents } from "../run/read-events.ts";
import type { RunEvent } from "../run/run-event.ts";
import type { PlanKey } from "../run/run-store.ts";
import type { PlanViewPorts } from "./plan-view-ports.ts";
import { planNotFound } from "./resolve-plan-id.ts";

const defaultLimit = 200;
/** Of JSON on one page: well below what a function may give back. */
const pageMaximumBytes = 3 * 1024 * 1024;

/**
 * A page of the ledger's lines in order: the header on the first one, then the records, each run's seal behind its last
 * record. `limit` counts records; a page ends earlier where it would become too large for a reply.
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
  let sizeBytes = 0;
  let last: RunEvent | undefined;
  for (const event of page.events) {
    const added = await linesOf(event, { key, decision: page.decisions.get(event.seq) }, ports);
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

const linesOf = async (
  event: RunEvent,
  { key, decision }: { readonly key: PlanKey; readonly decision: DecisionRecord | undefined },
  ports: PlanViewPorts,
): Promise<readonly LedgerBodyLine[]> => {
  if (decision !== undefined) return [decisionLine(event, decision)];
  switch (event.type) {
    case "runtime_execute_started": {
      const run = await ports.runs.getRun({ ...key, run: event.run });
      if (run === undefined) {
        throw new InfrastructureError({ message: `Run ${event.run} of plan ${key.planId} has no record.` });
      }
      return [runLine(event, run)];
    }
    case "runtime_execute_complete":
    case "runtime_execute_cancelled":
      return [eventLine(event), ...(await sealOf(event, key, ports))];
    default:
      return [eventLine(event)];
  }
};

const sealOf = async (
  { seq, ledgerHead, run }: RunEvent,
  key: PlanKey,
  ports: PlanViewPorts,
): Promise<readonly LedgerBodyLine[]> => {
  const state = (await ports.frontiers.read({ ...key, run }))?.state;
  if (state === undefined || !("digest" in state) || state.sealedSeq !== seq) return [];
  const { digest, signature } = state;
  return [sealLine({ planId: key.planId, run, digest, seq, ledgerHead }, signature)];
};
