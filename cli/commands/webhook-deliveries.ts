import type { Command } from "commander";
import type { DeliveryReply } from "#lib/api/webhook-requests.ts";
import { connect } from "../connect.ts";
import { wholeNumber } from "../number-option.ts";
import type { Paint } from "../paint.ts";
import { moment } from "../render/moment.ts";
import { table } from "../render/table.ts";
import { runAction } from "../run-action.ts";
import type { Session } from "../session.ts";

interface Options {
  readonly json?: boolean;
  readonly limit: number;
}

export function addWebhookDeliveries(webhook: Command, session: Session): void {
  webhook
    .command("deliveries")
    .description("what was delivered to a webhook, the newest first, and what came of it")
    .argument("<name>", "the webhook's name")
    .option("--limit <n>", "how many at most", wholeNumber({ minimum: 1, maximum: 10_000 }), 20)
    .option("--json", "print them, with every attempt, as one JSON document")
    .action((name: string, options: Options) =>
      runAction(session, options, async () => {
        const client = await connect(session);
        const deliveries: DeliveryReply[] = [];
        const query = { limit: Math.min(options.limit, 100), signal: session.signal };
        for await (const delivery of client.webhooks.deliveries(name, query)) {
          deliveries.push(delivery);
          if (deliveries.length >= options.limit) break;
        }
        return {
          json: () => ({ deliveries }),
          text: (paint) =>
            deliveries.length === 0
              ? `nothing was delivered to ${name} yet\n`
              : table(deliveries.map((one) => row(one, paint))),
        };
      }),
    );
}

const row = (delivery: DeliveryReply, paint: Paint): readonly string[] => {
  const { at, planId, sequence, phase, attempts, nextAttemptAt, reason } = delivery;
  const last = attempts.at(-1);
  const count = attempts.length === 1 ? "1 attempt" : `${attempts.length} attempts`;
  return [
    paint("dim", moment(at)),
    planId,
    `${sequence} ${phase}`,
    stateWord(delivery.state, paint),
    `${count}${last === undefined ? "" : `, last ${last.status ?? last.error?.code ?? ""}`}`,
    nextAttemptAt === undefined ? (reason ?? "") : `next ${moment(nextAttemptAt)}`,
  ];
};

function stateWord(state: DeliveryReply["state"], paint: Paint): string {
  switch (state) {
    case "delivered":
      return paint("green", "delivered");
    case "pending":
      return paint("yellow", "pending");
    case "given_up":
      return paint("red", "given up");
    case "dropped":
      return paint("dim", "dropped");
    default:
      return state satisfies never;
  }
}
