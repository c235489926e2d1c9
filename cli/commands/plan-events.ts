import type { Command } from "commander";
import type { EventReply } from "#lib/api/plan-replies.ts";
import type { PlanledgerClient } from "#lib/client/planledger-client.ts";
import { connect } from "../connect.ts";
import type { Paint } from "../paint.ts";
import { patience } from "../patience.ts";
import { printable } from "../print-safely.ts";
import { moment } from "../render/moment.ts";
import { runAction } from "../run-action.ts";
import type { Session } from "../session.ts";

interface Options {
  readonly json?: boolean;
  readonly follow?: boolean;
}

export function addPlanEvents(plan: Command, session: Session): void {
  plan
    .command("events")
    .description("the numbered events of a plan, of all its runs")
    .argument("<id>", "the plan's id, or its pln_ id")
    .option("--follow", "go on until the plan has ended")
    .option("--json", "print them as one JSON document (with --follow at the end)")
    .action((planId: string, options: Options) =>
      runAction(session, options, async () => {
        const client = await connect(session);
        const follow = options.follow === true;
        const events = follow
          ? followed({ session, client }, planId)
          : client.events({ planId, signal: session.signal });
        if (options.json !== true) {
          return { json: () => undefined, text: (paint) => eventLines(events, paint) };
        }
        const all: EventReply[] = [];
        for await (const event of events) all.push(event);
        return { json: () => ({ planId, events: all }), text: () => "" };
      }),
    );
}

/** Goes on where it stopped after the service was away. */
async function* followed(
  { session, client }: { readonly session: Session; readonly client: PlanledgerClient },
  planId: string,
): AsyncGenerator<EventReply> {
  const { signal } = session;
  const waiting = patience(session, {
    later: `\`planledger plan events ${planId} --follow\` tells all of them from the first one on`,
  });
  for (let cursor: string | undefined; ; ) {
    try {
      const from = cursor === undefined ? {} : { cursor };
      for await (const page of client.eventPages({ planId, follow: true, signal, ...from })) {
        waiting.answered();
        yield* page.events;
        cursor = page.cursor;
      }
      return;
    } catch (fault) {
      await waiting.wait(fault);
    }
  }
}

async function* eventLines(events: AsyncIterable<EventReply>, paint: Paint): AsyncGenerator<string> {
  for await (const event of events) {
    const { seq, at, type, decisionId, reason, by } = event;
    const parts = [
      String(seq).padStart(5),
      paint("dim", moment(at)),
      type.replace("runtime_execute_", "").padEnd(9),
      decisionId ??
        paint("dim", by === "service" ? `run ${event.run}` : `run ${event.run} by ${printable(by)}`),
      ...(reason === undefined ? [] : [printable(reason)]),
    ];
    yield `${parts.join("  ")}\n`;
  }
}
