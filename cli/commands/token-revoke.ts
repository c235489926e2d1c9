import type { Command } from "commander";
import { connect } from "../connect.ts";
import { runAction } from "../run-action.ts";
import type { Session } from "../session.ts";

export function addTokenRevoke(token: Command, session: Session): void {
  token
    .command("revoke")
    .description("end a token for good, within a minute")
    .argument("<id>", "the token's id, as `token list` shows it")
    .option("--json", "print the answer as one JSON document")
    .action((id: string, options: { readonly json?: boolean }) =>
      runAction(session, options, async () => {
        const client = await connect(session);
        await client.tokens.revoke(id, session.signal);
        return { json: () => ({ id, revoked: true }), text: () => `${id} is revoked\n` };
      }),
    );
}
