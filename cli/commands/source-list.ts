import type { Command } from "commander";
import type { SourceReply } from "#lib/api/source-requests.ts";
import { connect } from "../connect.ts";
import { sourceRow } from "../render/sync-source.ts";
import { table } from "../render/table.ts";
import { runAction } from "../run-action.ts";
import type { Session } from "../session.ts";

export function addSourceList(source: Command, session: Session): void {
  source
    .command("list")
    .description("the sync sources of the tenant")
    .option("--json", "print them as one JSON document")
    .action((options: { readonly json?: boolean }) =>
      runAction(session, options, async () => {
        const client = await connect(session);
        const sources: SourceReply[] = [];
        for await (const one of client.sources.list({ signal: session.signal })) sources.push(one);
        return {
          json: () => ({ sources }),
          text: (paint) =>
            sources.length === 0
              ? "no sync sources: save one with `planledger sync source save NAME`\n"
              : table(sources.map((one) => sourceRow(one, paint))),
        };
      }),
    );
}
