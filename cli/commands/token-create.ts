import { type Command, InvalidArgumentError } from "commander";
import { type Scope, scopes } from "#lib/access/token-store.ts";
import { connect } from "../connect.ts";
import { wholeNumber } from "../number-option.ts";
import { moment } from "../render/moment.ts";
import { runAction } from "../run-action.ts";
import type { Session } from "../session.ts";

interface Options {
  readonly json?: boolean;
  readonly scopes: readonly Scope[];
  readonly principal?: string;
  readonly expiresIn?: number;
}

export function addTokenCreate(token: Command, session: Session): void {
  token
    .command("create")
    .description("make a token; it is shown this once")
    .requiredOption(
      "--scopes <list>",
      `what it may do, of ${scopes.join(", ")}; separated by commas`,
      scopeList,
    )
    .option("--principal <name>", "whom it stands for; yourself without it")
    .option("--expires-in <seconds>", "when it ends", wholeNumber({ minimum: 1, maximum: 315_360_000 }))
    .option("--json", "print the token as one JSON document")
    .action((options: Options) =>
      runAction(session, options, async () => {
        const client = await connect(session);
        const created = await client.tokens.create(
          {
            scopes: [...options.scopes],
            ...(options.principal === undefined ? {} : { principal: options.principal }),
            ...(options.expiresIn === undefined ? {} : { expiresInSeconds: options.expiresIn }),
          },
          session.signal,
        );
        const expiry =
          created.expiresAt === undefined ? "never expires" : `expires ${moment(created.expiresAt)} UTC`;
        session.stderr.write(
          options.json === true
            ? ""
            : `token ${created.id} for ${created.principal}, ${created.scopes.join(", ")}, ${expiry}; it is not shown again\n`,
        );
        return { json: () => created, text: () => `${created.token}\n` };
      }),
    );
}

const isScope = (text: string): text is Scope => scopes.some((scope) => scope === text);

function scopeList(text: string): readonly Scope[] {
  const asked = text.split(",").map((scope) => scope.trim());
  const known = asked.filter(isScope);
  if (known.length === asked.length) return [...new Set(known)];
  const unknown = asked.filter((scope) => !isScope(scope));
  throw new InvalidArgumentError(
    `Unknown: ${unknown.map((scope) => JSON.stringify(scope)).join(", ")}. Allowed: ${scopes.join(", ")}.`,
  );
}
