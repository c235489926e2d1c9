import type { Command } from "commander";
import type { WebhookReply } from "#lib/api/webhook-requests.ts";
import { phases as allPhases } from "#lib/run/phase.ts";
import { connect } from "../connect.ts";
import type { Paint } from "../paint.ts";
import { oneLine } from "../print-safely.ts";
import { moment } from "../render/moment.ts";
import { table } from "../render/table.ts";
import { runAction } from "../run-action.ts";
import type { Session } from "../session.ts";

export function addWebhookList(webhook: Command, session: Session): void {
  webhook
    .command("list")
    .description("the webhooks of the tenant, without their secrets")
    .option("--json", "print them as one JSON document")
    .action((options: { readonly json?: boolean }) =>
      runAction(session, options, async () => {
        const client = await connect(session);
        const webhooks = await client.webhooks.list(session.signal);
        return {
          json: () => ({ webhooks }),
          text: (paint) =>
            webhooks.length === 0
              ? "no webhooks yet: make one with `planledger webhook create NAME URL`\n"
              : table(webhooks.map((one) => row(one, paint))),
        };
      }),
    );
}

const row = (webhook: WebhookReply, paint: Paint): readonly string[] => {
  const { name, url, phases, reason = "", failingSince } = webhook;
  const isDisabled = webhook.state === "disabled";
  return [
    name,
    isDisabled ? paint("red", "disabled") : paint("green", "active"),
    oneLine(url, 80),
    paint("dim", phases.length === allPhases.length ? "all phases" : phases.join(" ")),
    isDisabled ? reason : failingSince === undefined ? "" : `failing since ${moment(failingSince)}`,
  ];
};
