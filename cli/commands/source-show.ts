import type { Command } from "commander";
import { connect } from "../connect.ts";
import { sourceRunsText, sourceText } from "../render/sync-source.ts";
import { runAction } from "../run-action.ts";
import type { Session } from "../session.ts";

/** `sync source show` and `sync source runs`. */
export function addSourceShow(source: Command, session: Session): void {
  source
    .command("show")
    .description("a sync source, when it runs next, and how its last run ended")
    .argument("<name>", "the source's name")
    .option("--json", "print it as one JSON document")
    .action((name: string, options: { readonly json?: boolean }) =>
      runAction(session, options, async () => {
        const shown = await (await connect(session)).sources.get(name, session.signal);
        return { json: () => shown, text: (paint) => sourceText(shown, paint) };
      }),
    );
  source
    .command("runs")
    .description("the last runs of a sync source, the newest first, and what was in their way")
    .argument("<name>", "the source's name")
    .option("--json", "print them as one JSON document")
    .action((name: string, options: { readonly json?: boolean }) =>
      runAction(session, options, async () => {
        const runs = await (await connect(session)).sources.runs(name, session.signal);
        return { json: () => ({ runs }), text: (paint) => sourceRunsText(runs, paint) };
      }),
    );
}
