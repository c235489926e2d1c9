import { type Command, InvalidArgumentError } from "commander";
import { type Phase, phases } from "#lib/run/phase.ts";
import { connect } from "../connect.ts";
import { runAction } from "../run-action.ts";
import type { Session } from "../session.ts";

interface Options {
  readonly json?: boolean;
  readonly phases?: readonly Phase[];
  readonly secret?: string;
  readonly newSecret?: boolean;
}

export function addWebhookCreate(webhook: Command, session: Session): void {
  webhook
    .command("create")
    .description(
      "be told of phases at a URL; a webhook of that name is changed, and goes on if it was disabled",
    )
    .argument("<name>", "what it is called")
    .argument("<url>", "where to send signed messages; https")
    .option("--phases <list>", `of ${phases.join(", ")}, separated by commas; all without it`, phaseList)
    .option("--secret <name>", "sign with the secret that the operator keeps under this name")
    .option("--new-secret", "sign with a new secret, for a day beside the one before")
    .option("--json", "print the webhook as one JSON document")
    .action((name: string, url: string, options: Options) =>
      runAction(session, options, async () => {
        const client = await connect(session);
        const secret =
          options.secret !== undefined
            ? `secret:${options.secret}`
            : options.newSecret === true
              ? "generate"
              : undefined;
        const saved = await client.webhooks.put(
          name,
          {
            url,
            ...(options.phases === undefined ? {} : { phases: [...options.phases] }),
            ...(secret === undefined ? {} : { secret }),
          },
          session.signal,
        );
        const { signingSecret } = saved;
        session.stderr.write(
          options.json === true
            ? ""
            : `webhook ${name} is told of ${saved.phases.join(", ")}; ${
                signingSecret === undefined
                  ? `it is signed with ${saved.secret === "generated" ? "the secret that it had" : saved.secret}`
                  : "its secret is not shown again"
              }\n`,
        );
        return { json: () => saved, text: () => (signingSecret === undefined ? "" : `${signingSecret}\n`) };
      }),
    );
}

const isPhase = (text: string): text is Phase => phases.some((phase) => phase === text);

function phaseList(text: string): readonly Phase[] {
  const asked = text.split(",").map((phase) => phase.trim());
  const known = asked.filter(isPhase);
  if (known.length === asked.length) return [...new Set(known)];
  const unknown = asked.filter((phase) => !isPhase(phase)).map((phase) => JSON.stringify(phase));
  throw new InvalidArgumentError(`Unknown: ${unknown.join(", ")}. Allowed: ${phases.join(", ")}.`);
}
