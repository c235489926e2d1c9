import * as z from "zod/mini";
import { decodeCursor, encodeCursor } from "../api/cursor.ts";
import type { EventReply, eventsReply } from "../api/plan-replies.ts";
import { readEvents } from "../run/read-events.ts";
import type { RunEvent } from "../run/run-event.ts";
import type { PlanKey } from "../run/run-store.ts";
import type { PlanViewPorts } from "./plan-view-ports.ts";

const defaultLimit = 200;

interface PageQuery {
  readonly limit?: number | undefined;
  readonly cursor?: string | undefined;
}

/** A page of events over all runs of a plan; the cursor is always there, and reads on from the page's end. */
export const listEvents = async (
  ports: PlanViewPorts,
  key: PlanKey,
  query: PageQuery,
): Promise<z.output<typeof eventsReply>> => {
  const listing = `events ${key.planId}`;
  const page = await eventsPage(ports, key, { ...query, listing });
  return {
    planId: key.planId,
    events: page.events.map(eventReplyOf),
    cursor: encodeCursor(listing, page.cursor),
    ended: page.ended,
  };
};

const eventsPage = (
  ports: PlanViewPorts,
  key: PlanKey,
  { listing, limit, cursor }: PageQuery & { readonly listing: string },
) =>
  readEvents(
    key,
    {
      limit: limit ?? defaultLimit,
      ...(cursor === undefined ? {} : { cursor: decodeCursor(cursor, listing, z.string()) }),
    },
    ports,
  );

const eventReplyOf = (event: RunEvent): EventReply => ({
  ...event,
  at: new Date(event.atEpochMs).toISOString(),
});
