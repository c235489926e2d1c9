import type { Command } from "commander";
import type { TokenReply } from "#lib/api/token-requests.ts";
import { systemClock } from "#lib/runtime/system-clock.ts";
import { connect } from "../connect.ts";
import type { Paint } from "../paint.ts";
import { moment } from "../render/moment.ts";
import { table } from "../render/table.ts";
import { runAction } from "../run-action.ts";
import type { Session } from "../session.ts";

export function addTokenList(token: Command, session: Session): void {
  token
    .command("list")
    .description("the tokens of the tenant, without their secrets")
    .option("--json", "print them as one JSON document")
    .action((options: { readonly json?: boolean }) =>
      runAction(session, options, async () => {
        const client = await connect(session);
        const tokens: TokenReply[] = [];
        for await (const one of client.tokens.list({ signal: session.signal })) tokens.push(one);
        return {
          json: () => ({ tokens }),
          text: (paint) =>
            table(
              tokens.map((one) => [
                one.id,
                one.principal,
                standing(one, paint),
                one.expiresAt === undefined ? "" : `until ${moment(one.expiresAt)}`,
                paint("dim", one.scopes.join(" ")),
              ]),
            ),
        };
      }),
    );
}

function standing({ revokedAt, expiresAt }: TokenReply, paint: Paint): string {
  if (revokedAt !== undefined) return paint("yellow", "revoked");
  const expired = expiresAt !== undefined && Date.parse(expiresAt) <= systemClock.now();
  return expired ? paint("yellow", "expired") : paint("green", "valid");
}
