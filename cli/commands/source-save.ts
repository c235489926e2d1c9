import { type Command, Option } from "commander";
import type { SourceReply } from "#lib/api/source-requests.ts";
import { type ConflictPolicy, conflictPolicies } from "#lib/sync/conflict-policy.ts";
import type { SyncScope } from "#lib/sync/sync-scope.ts";
import { connect } from "../connect.ts";
import { wholeNumber } from "../number-option.ts";
import { sourceText } from "../render/sync-source.ts";
import { runAction } from "../run-action.ts";
import { scopeOption } from "../scope-option.ts";
import type { Session } from "../session.ts";
import { UsageError } from "../usage-error.ts";

interface Options {
  readonly json?: boolean;
  readonly service?: string;
  readonly catalogue?: string;
  readonly token?: string;
  readonly every: number;
  readonly scope?: SyncScope;
  readonly policy: ConflictPolicy;
  readonly dryRun?: boolean;
  readonly prune?: boolean;
  readonly maxDelete: number;
  readonly force?: boolean;
  readonly paused?: boolean;
}

export function addSourceSave(source: Command, session: Session): void {
  source
    .command("save")
    .description("sync this tenant from another service or a catalogue, now and again and again")
    .argument("<name>", "the source's name; one of that name is replaced")
    .option("--service <url>", "the base of another Planledger service; needs --token")
    .option("--catalogue <url>", "the https address of a catalogue")
    .option(
      "--token <secret:NAME>",
      "the secret that the service looks up as the token; never the token itself",
    )
    .option("--every <minutes>", "how often", wholeNumber({ minimum: 1, maximum: 10_080 }), 60)
    .option(
      "--scope <kinds>",
      "of actions, skills, tools and projects those named, with commas between",
      scopeOption,
    )
    .addOption(
      new Option(
        "--policy <policy>",
        "what wins where both sides changed; local_wins: this tenant; manual: neither",
      )
        .choices(conflictPolicies)
        .default("manual" satisfies ConflictPolicy),
    )
    .option("--dry-run", "record what would happen and change nothing")
    .option("--prune", "delete here what was deleted there")
    .option(
      "--max-delete <n>",
      "a run that would delete more than this changes nothing and fails",
      wholeNumber({ minimum: 0, maximum: 1_000_000 }),
      100,
    )
    .option("--force", "take content that changed under an older version")
    .option("--paused", "save it, and let it run when it is asked to, or resumed")
    .option("--json", "print the source as one JSON document")
    .action((name: string, options: Options) =>
      runAction(session, options, async () => {
        const from = originOf(options);
        const client = await connect(session);
        const saved = await client.sources.save(
          name,
          {
            from,
            everyMinutes: options.every,
            ...(options.scope === undefined ? {} : { scope: [...options.scope.activeKinds] }),
            policy: options.policy,
            dryRun: options.dryRun === true,
            prune: options.prune === true,
            maxDelete: options.maxDelete,
            force: options.force === true,
            paused: options.paused === true,
          },
          session.signal,
        );
        return { json: () => saved, text: (paint) => sourceText(saved, paint) };
      }),
    );
}

function originOf({ service, catalogue, token }: Options): SourceReply["from"] {
  if (service !== undefined && catalogue === undefined) {
    if (token !== undefined) return { kind: "service", url: service, token };
    throw new UsageError("a service needs --token secret:NAME, the secret that holds a token of it");
  }
  if (catalogue !== undefined && service === undefined) {
    return { kind: "catalogue", url: catalogue, ...(token === undefined ? {} : { token }) };
  }
  throw new UsageError(
    "give --service with the base of a Planledger service, or --catalogue with an address",
  );
}
