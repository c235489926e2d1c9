import { dynamodbClient } from "#functions/aws-clients.ts";
import { type Environment, readEnvironment, tableEnvironment } from "#functions/environment.ts";
import { processPorts } from "#functions/process-ports.ts";
import { dynamodbTokenStore } from "#lib/access/dynamodb-token-store.ts";
import { issueToken } from "#lib/access/issue-token.ts";
import { scopes, type TokenStore } from "#lib/access/token-store.ts";
import { ValidationError } from "#lib/errors/planledger-error.ts";

/** As JWTs may name them (docs/reference/access.md). */
const nameOfPrincipal = /^\P{Cc}{1,128}$/u;
const nameOfTenant = /^[^#\p{Cc}]{1,128}$/u;

/** Whose token it is. */
export interface TokenOwner {
  readonly tenant: string;
  readonly principal: string;
}

/** Of the first token of a service: as in the embedded one, the tenant whose submissions the submissions queue takes. */
export const firstOwner: TokenOwner = { tenant: "local", principal: "owner" };

export interface TokenPlace {
  /** Of whoever runs this: `AWS_*` variables. */
  readonly environment: Environment;
  readonly tableName: string;
}

/**
 * Writes a token with every scope into the table of a deployed service, under the credentials of whoever runs this: only who
 * may write to the table can make a tenant's first token, and all others come from that one. The text is told here and
 * kept nowhere.
 */
export async function firstToken(place: TokenPlace, owner: TokenOwner): Promise<string> {
  return withTokens(place, async (tokens) => {
    requireNames(owner);
    return (await issueToken({ ...processPorts, tokens }, { ...owner, scopes })).token;
  });
}

/** Whether a tenant has any token, be it one that was revoked. */
export async function hasTokens(place: TokenPlace, tenant: string): Promise<boolean> {
  return withTokens(place, async (tokens) => (await tokens.list({ tenant, limit: 1 })).tokens.length > 0);
}

function requireNames({ tenant, principal }: TokenOwner): void {
  if (!nameOfTenant.test(tenant)) {
    const message = `tenant must be 1 to 128 characters, none of them '#' or a control character; '${tenant}' is not.`;
    throw new ValidationError({ field: "tenant", message });
  }
  if (!nameOfPrincipal.test(principal)) {
    const message = `principal must be 1 to 128 characters, none of them a control character; '${principal}' is not.`;
    throw new ValidationError({ field: "principal", message });
  }
}

async function withTokens<T>(place: TokenPlace, use: (tokens: TokenStore) => Promise<T>): Promise<T> {
  const { environment, tableName } = place;
  const settings = readEnvironment(tableEnvironment, { ...environment, TABLE_NAME: tableName });
  const client = dynamodbClient(settings);
  try {
    return await use(dynamodbTokenStore({ client, tableName }));
  } finally {
    client.destroy();
  }
}
