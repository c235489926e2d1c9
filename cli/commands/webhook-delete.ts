import type { Command } from "commander";
import { connect } from "../connect.ts";
import { runAction } from "../run-action.ts";
import type { Session } from "../session.ts";

export function addWebhookDelete(webhook: Command, session: Session): void {
  webhook
    .command("delete")
    .description("be told no more; what is on its way is dropped")
    .argument("<name>", "the webhook's name")
    .option("--json", "print the answer as one JSON document")
    .action((name: string, options: { readonly json?: boolean }) =>
      runAction(session, options, async () => {
        const client = await connect(session);
        await client.webhooks.delete(name, session.signal);
        return { json: () => ({ name, deleted: true }), text: () => `${name} is deleted\n` };
      }),
    );
}
