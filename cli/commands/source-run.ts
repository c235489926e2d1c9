import type { Command } from "commander";
import type { SourceRunReply } from "#lib/api/source-requests.ts";
import type { PlanledgerClient } from "#lib/client/planledger-client.ts";
import { systemPorts } from "#lib/client/system-ports.ts";
import { connect } from "../connect.ts";
import { runText, sourceText } from "../render/sync-source.ts";
import { runAction } from "../run-action.ts";
import type { Session } from "../session.ts";

interface Options {
  readonly json?: boolean;
  readonly wait?: boolean;
}

const lookAgainMs = 250;

export function addSourceRun(source: Command, session: Session): void {
  source
    .command("run")
    .description("run a sync source now, also while it is paused")
    .argument("<name>", "the source's name")
    .option("--wait", "until the run has ended; exit code 1 unless it completed without conflicts and errors")
    .option("--json", "print the source (with --wait the run) as one JSON document")
    .action((name: string, options: Options) =>
      runAction(session, options, async () => {
        const client = await connect(session);
        const before = (await client.sources.runs(name, session.signal))[0]?.run ?? 0;
        const asked = await client.sources.run(name, session.signal);
        if (options.wait !== true) return { json: () => asked, text: (paint) => sourceText(asked, paint) };
        const run = await nextRun(session, client, { name, before });
        const { summary, outcome } = run;
        const clean = outcome === "completed" && summary?.conflictCount === 0 && summary.errorCount === 0;
        return { json: () => run, text: (paint) => runText(run, paint), failed: !clean };
      }),
    );
}

async function nextRun(
  { signal }: Session,
  client: PlanledgerClient,
  { name, before }: { readonly name: string; readonly before: number },
): Promise<SourceRunReply> {
  for (;;) {
    const [latest] = await client.sources.runs(name, signal);
    // One that is not finished goes on in the next.
    if (latest !== undefined && latest.run > before && latest.outcome !== "unfinished") return latest;
    await systemPorts.delay(lookAgainMs, signal);
  }
}
