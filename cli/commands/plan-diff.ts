import type { Command } from "commander";
import type { PlanledgerClient } from "#lib/client/planledger-client.ts";
import { connect } from "../connect.ts";
import { digestOption } from "../digest-option.ts";
import { runNumber } from "../number-option.ts";
import { byteJson } from "../render/byte-text.ts";
import { runAction } from "../run-action.ts";
import type { Session } from "../session.ts";
import { UsageError } from "../usage-error.ts";

interface Options {
  readonly json?: boolean;
  readonly run?: number;
  readonly decision?: string;
  readonly digest?: string;
}

export function addPlanDiff(plan: Command, session: Session): void {
  plan
    .command("diff")
    .description("the changes as a unified diff that `git apply` takes, byte for byte")
    .argument("<id>", "the plan's id, or its pln_ id")
    .option("--run <n>", "of one run", runNumber)
    .option("--decision <id>", "of one decision")
    .option("--digest <digest>", "of the changeset with this digest, derived ones too", digestOption)
    .option("--json", "print it in one JSON document (`encoding` is utf8 or base64)")
    .action((planId: string, options: Options) =>
      runAction(session, options, async () => {
        const client = await connect(session);
        const diff = await readDiff({ client, session }, planId, options);
        if (options.json !== true) return { json: () => undefined, text: () => diff };
        const pages: Uint8Array[] = [];
        for await (const page of diff) pages.push(page);
        const bytes = Buffer.concat(pages);
        const { encoding, text } = byteJson(bytes);
        return { json: () => ({ planId, sizeBytes: bytes.length, encoding, diff: text }), text: () => "" };
      }),
    );
}

async function readDiff(
  { client, session }: { readonly client: PlanledgerClient; readonly session: Session },
  planId: string,
  { run, decision, digest }: Options,
): Promise<AsyncIterable<Uint8Array>> {
  const { signal } = session;
  if (digest === undefined) {
    return client.diff({
      planId,
      signal,
      ...(run === undefined ? {} : { run }),
      ...(decision === undefined ? {} : { decision }),
    });
  }
  if (run !== undefined || decision !== undefined) {
    throw new UsageError("--digest names a whole changeset; leave out --run and --decision");
  }
  const status = await client.planStatus({ planId, signal });
  return status.digest === digest
    ? client.diff({ planId, signal })
    : client.derivedDiff({ planId, digest, signal });
}
