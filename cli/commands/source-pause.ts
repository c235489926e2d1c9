import type { Command } from "commander";
import { connect } from "../connect.ts";
import { sourceText } from "../render/sync-source.ts";
import { runAction } from "../run-action.ts";
import type { Session } from "../session.ts";

const descriptions = {
  pause: "let a sync source run no more; a run under way ends at its next step",
  resume: "end a sync source's pause: it runs at once",
} as const;

/** `sync source pause` and `sync source resume`. */
export function addSourcePause(source: Command, session: Session): void {
  for (const move of ["pause", "resume"] as const) {
    source
      .command(move)
      .description(descriptions[move])
      .argument("<name>", "the source's name")
      .option("--json", "print the source as one JSON document")
      .action((name: string, options: { readonly json?: boolean }) =>
        runAction(session, options, async () => {
          const client = await connect(session);
          const moved = await client.sources[move](name, session.signal);
          return { json: () => moved, text: (paint) => sourceText(moved, paint) };
        }),
      );
  }
}
