import { type PlanledgerClient, planledgerClient } from "#lib/client/planledger-client.ts";
import { findDevFile } from "./dev-file.ts";
import type { Session } from "./session.ts";
import { UsageError } from "./usage-error.ts";

/** A client of the service that the environment names, else of the `planledger dev` started here or in a directory above. */
export async function connect(session: Session): Promise<PlanledgerClient> {
  return clientOf(session, await serviceAddress(session));
}

/** A client that says on stderr when it waits because the service asked it to. */
export function clientOf(
  session: Session,
  address: { readonly url: string; readonly token: string },
): PlanledgerClient {
  return planledgerClient({
    ...address,
    waiting({ status, delayMs, nextAttempt, maximumAttempts }) {
      if (status !== 429) return;
      const seconds = (delayMs / 1000).toFixed(1);
      session.stderr.write(
        `over a quota of the service: trying again in ${seconds} s (attempt ${nextAttempt} of ${maximumAttempts})\n`,
      );
    },
  });
}

export async function serviceAddress(
  session: Session,
): Promise<{ readonly url: string; readonly token: string }> {
  const url = given(session.env.PLANLEDGER_URL);
  const token = given(session.env.PLANLEDGER_TOKEN);
  if (url !== undefined && token !== undefined) return { url, token };
  if (url !== undefined) {
    throw new UsageError(
      "PLANLEDGER_URL is set, PLANLEDGER_TOKEN is not; set it to a token of that service (`planledger token create`)",
    );
  }
  const dev = await findDevFile(session.cwd);
  if (dev !== undefined) return { url: dev.url, token: token ?? dev.token };
  throw new UsageError(
    "no service to talk to: start one with `planledger dev` here or in a directory above, or set PLANLEDGER_URL and PLANLEDGER_TOKEN",
  );
}

const given = (value: string | undefined): string | undefined =>
  value === undefined || value.trim() === "" ? undefined : value.trim();
