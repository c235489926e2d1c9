import { type EventReply, eventsReply } from "../api/plan-replies.ts";
import { checkedId } from "./checked-id.ts";
import type { ClientPorts } from "./client-options.ts";
import { type HttpTransport, path } from "./http-transport.ts";
import { parsedReply } from "./parsed-reply.ts";

export interface EventsQuery {
  readonly planId: string;
  /** Where an earlier reading stopped; from the first event without one. */
  readonly cursor?: string;
  /** Goes on after what there is until the plan has ended; else the iteration ends with what there is now. */
  readonly follow?: boolean;
  readonly signal?: AbortSignal;
}

/** An event, and the cursor that reads on after the page it came in. */
export interface CursoredEvents {
  readonly events: readonly EventReply[];
  readonly cursor: string;
  readonly ended: boolean;
}

const shortestPollMs = 100;
const longestPollMs = 1_000;

/**
 * A plan's events in order, each once, without gaps: a page that holds none is waited out (100 ms at first, up to a
 * second while nothing happens). `ended` means that nothing will follow unless somebody resumes the plan.
 */
export async function* planEventPages(
  { transport, ports }: { readonly transport: HttpTransport; readonly ports: ClientPorts },
  query: EventsQuery,
): AsyncGenerator<CursoredEvents, void, undefined> {
  const events = path("v1", "plans", checkedId("planId", query.planId), "events");
  let cursor = query.cursor;
  let pollMs = shortestPollMs;
  for (;;) {
    const reply = await transport.send({
      method: "GET",
      path: events,
      query: { cursor },
      repeatable: true,
      signal: query.signal,
    });
    const page = parsedReply(eventsReply, reply, "plan events");
    cursor = page.cursor;
    if (page.events.length > 0) {
      yield { events: page.events, cursor, ended: page.ended };
      pollMs = shortestPollMs;
      continue;
    }
    if (page.ended || query.follow !== true) return;
    await ports.delay(pollMs, query.signal);
    pollMs = Math.min(longestPollMs, pollMs * 2);
  }
}
