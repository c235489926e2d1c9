import type { Command } from "commander";
import type { TokenReply } from "#lib/api/token-requests.ts";
import { connect } from "../connect.ts";
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
                one.revokedAt === undefined ? paint("green", "valid") : paint("yellow", "revoked"),
                one.expiresAt === undefined ? "" : `until ${moment(one.expiresAt)}`,
                paint("dim", one.scopes.join(" ")),
              ]),
            ),
        };
      }),
    );
}
