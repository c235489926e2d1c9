import type { Command } from "commander";
import { connect } from "../connect.ts";
import { runNumber } from "../number-option.ts";
import { byteJson } from "../render/byte-text.ts";
import { runAction } from "../run-action.ts";
import type { Session } from "../session.ts";

interface Options {
  readonly json?: boolean;
  readonly run?: number;
  readonly decision?: string;
}

export function addPlanDiff(plan: Command, session: Session): void {
  plan
    .command("diff")
    .description("the changes as a unified diff that `git apply` takes, byte for byte")
    .argument("<id>", "the plan's id, or its pln_ id")
    .option("--run <n>", "of one run", runNumber)
    .option("--decision <id>", "of one decision")
    .option("--json", "print it in one JSON document (`encoding` is utf8 or base64)")
    .action((planId: string, options: Options) =>
      runAction(session, options, async () => {
        const client = await connect(session);
        const diff = client.diff({
          planId,
          signal: session.signal,
          ...(options.run === undefined ? {} : { run: options.run }),
          ...(options.decision === undefined ? {} : { decision: options.decision }),
        });
        if (options.json !== true) return { json: () => undefined, text: () => diff };
        const pages: Uint8Array[] = [];
        for await (const page of diff) pages.push(page);
        const bytes = Buffer.concat(pages);
        const { encoding, text } = byteJson(bytes);
        return { json: () => ({ planId, sizeBytes: bytes.length, encoding, diff: text }), text: () => "" };
      }),
    );
}
