import type { EventReply, PlanStatusReply } from "#lib/api/plan-replies.ts";
import type { PlanledgerClient } from "#lib/client/planledger-client.ts";
import type { Paint } from "./paint.ts";
import { paintFor } from "./paint.ts";
import { patience } from "./patience.ts";
import { printable } from "./print-safely.ts";
import { progressBar } from "./render/progress-bar.ts";
import type { Session } from "./session.ts";

/** Plans above this many decisions get a line for what went wrong only. */
const mostLines = 200;

/** Follows a plan on stderr until it has ended, a line for each decision as it becomes final; answers the last status. A service that is away is waited for. */
export async function watchPlan(
  {
    session,
    client,
  }: {
    readonly session: Pick<Session, "env" | "signal" | "stderr">;
    readonly client: Pick<PlanledgerClient, "planStatus" | "eventPages">;
  },
  watched: {
    readonly planId: string;
    readonly run: number;
    /** Of a service that is away; two minutes unless given. */
    readonly patience?: { readonly pauseMs: number; readonly pauses: number };
  },
): Promise<PlanStatusReply> {
  const { planId } = watched;
  const { signal } = session;
  const paint = paintFor(session.stderr, session.env);
  const bar = progressBar(session.stderr);
  const goesOn = `the plan goes on, and \`planledger plan status ${planId}\` tells how it went`;
  const waiting = patience(session, { later: goesOn, say: (line) => bar.line(line), ...watched.patience });
  let done = 0;
  let cursor: string | undefined;
  const show = (event: EventReply, total: number) => {
    if (event.run < watched.run) return;
    if (isFinal(event)) done += 1;
    const line = eventLine(event, paint);
    if (line !== undefined && (total <= mostLines || event.type !== "runtime_execute_step")) bar.line(line);
    bar.show({ label: "decisions", done, total });
  };
  try {
    for (;;) {
      try {
        const { counts } = await client.planStatus({ planId, signal });
        waiting.answered();
        const from = cursor === undefined ? {} : { cursor };
        for await (const page of client.eventPages({ planId, follow: true, signal, ...from })) {
          for (const event of page.events) show(event, counts.total);
          cursor = page.cursor;
        }
        return await client.planStatus({ planId, signal });
      } catch (fault) {
        if (!signal.aborted) await waiting.wait(fault);
        signal.throwIfAborted();
      }
    }
  } catch (fault) {
    if (!signal.aborted) throw fault;
    throw Object.assign(new Error(`stopped watching; ${goesOn}`, { cause: fault }), { code: "aborted" });
  } finally {
    bar.end();
  }
}

const isFinal = ({ type, decisionId }: EventReply): boolean =>
  decisionId !== undefined &&
  (type === "runtime_execute_step" ||
    type === "runtime_execute_failed" ||
    type === "runtime_execute_skipped");

/** One event in a line; `undefined` for those that a watcher sees anyway. */
export function eventLine(event: EventReply, paint: Paint): string | undefined {
  const { decisionId = "", reason, by, type } = event;
  const why = reason === undefined ? "" : `  ${printable(reason)}`;
  switch (type) {
    case "runtime_execute_started":
    case "runtime_execute_complete":
      return undefined;
    case "runtime_execute_step":
      return `${paint("green", "✓")} ${decisionId}`;
    case "runtime_execute_failed":
      return `${paint("red", "✗")} ${decisionId || "run failed"}${why}`;
    case "runtime_execute_skipped":
      return `${paint("yellow", "-")} ${decisionId}${why}`;
    default:
      return `${paint("yellow", "•")} ${type.replace("runtime_execute_", "")} by ${printable(by)}${why}`;
  }
}
