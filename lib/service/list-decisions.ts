import * as z from "zod/mini";
import { decodeCursor, encodeCursor } from "../api/cursor.ts";
import type { DecisionReply, decisionsReply } from "../api/plan-replies.ts";
import { readDecisions } from "../run/read-decisions.ts";
import type { PlanKey } from "../run/run-store.ts";
import { openRunView } from "../run/run-view-ports.ts";
import { decisionReplyOf, shortened } from "./decision-replies.ts";
import type { PlanViewPorts } from "./plan-view-ports.ts";
import { jsonBytes, pageMaximumBytes } from "./reply-size.ts";

const defaultLimit = 50;

const ordinal = z.int().check(z.nonnegative(), z.maximum(1_000_000));

/** A page of decisions in plan order, cut where it would become too large for a reply. */
export const listDecisions = async (
  ports: PlanViewPorts,
  key: PlanKey & { readonly run?: number },
  query: { readonly limit?: number | undefined; readonly cursor?: string | undefined },
): Promise<z.output<typeof decisionsReply>> => {
  const listing = `decisions ${key.planId} ${key.run ?? "latest"}`;
  const fromOrdinal = query.cursor === undefined ? 0 : decodeCursor(query.cursor, listing, ordinal);
  const page = await readDecisions(key, { fromOrdinal, limit: query.limit ?? defaultLimit }, ports);
  const idOf = await idsOf(
    ports,
    key,
    page.decisions.some(({ decision }) => decision.dependsOn.length > 0),
  );
  const decisions: DecisionReply[] = [];
  let next = page.nextOrdinal;
  let sizeBytes = 0;
  for (const view of page.decisions) {
    const whole = decisionReplyOf(view, idOf);
    const wholeBytes = jsonBytes(whole);
    const reply = wholeBytes > pageMaximumBytes ? shortened(whole) : whole;
    sizeBytes += reply === whole ? wholeBytes : jsonBytes(reply);
    if (decisions.length > 0 && sizeBytes > pageMaximumBytes) {
      next = view.decision.ordinal;
      break;
    }
    decisions.push(reply);
  }
  return {
    planId: key.planId,
    run: page.run,
    decisions,
    ...(next === undefined ? {} : { cursor: encodeCursor(listing, next) }),
  };
};

const idsOf = async (
  ports: PlanViewPorts,
  key: PlanKey & { readonly run?: number },
  needed: boolean,
): Promise<(ordinal: number) => string> => {
  const ids = needed ? await (await openRunView(key, ports)).runPlan.source.ids() : [];
  return (at) => ids[at] ?? "";
};
