import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { dynamodbClient } from "#functions/aws-clients.ts";
import { readEnvironment, tableEnvironment } from "#functions/environment.ts";
import { authorizeRequest } from "#lib/access/authorize-request.ts";
import { dynamodbTokenStore } from "#lib/access/dynamodb-token-store.ts";
import { noJwts } from "#lib/access/judge-jwt.ts";
import { scopes } from "#lib/access/token-store.ts";
import { tableDefinition } from "#lib/table/table-definition.ts";
import { type DynamodbEmulator, startDynamodb } from "../local/emulators/dynamodb-emulator.ts";
import { ensureTable } from "../local/ensure-table.ts";
import { firstOwner, firstToken, hasTokens, type TokenPlace } from "./first-token.ts";

let emulator: DynamodbEmulator;
let place: TokenPlace;
const clientOf = ({ environment, tableName }: TokenPlace) =>
  dynamodbClient(readEnvironment(tableEnvironment, { ...environment, TABLE_NAME: tableName }));

before(async () => {
  emulator = await startDynamodb({});
  const credentials = { AWS_ACCESS_KEY_ID: "test", AWS_SECRET_ACCESS_KEY: "test" };
  place = {
    environment: { ...credentials, AWS_ENDPOINT_URL: emulator.endpoint, AWS_REGION: "eu-north-1" },
    tableName: "deployed",
  };
  const client = clientOf(place);
  await ensureTable({ client, tableName: "deployed", definition: tableDefinition });
  client.destroy();
});
after(() => emulator.stop());

test("who may write to the table makes a tenant's first token, with every scope, and the tenant has one then", async () => {
  assert.equal(await hasTokens(place, firstOwner.tenant), false);
  const token = await firstToken(place, firstOwner);
  assert.equal(await hasTokens(place, firstOwner.tenant), true);
  assert.equal(await hasTokens(place, "acme"), false);
  const client = clientOf(place);
  const tokens = dynamodbTokenStore({ client, tableName: place.tableName });
  const verdict = await authorizeRequest({ tokens, judgeJwt: noJwts, clock: Date }, `Bearer ${token}`);
  client.destroy();
  assert.ok(verdict.kind === "allowed");
  assert.deepEqual([verdict.caller.tenant, verdict.caller.principal], ["local", "owner"]);
  assert.deepEqual([...verdict.caller.scopes].sort(), [...scopes].sort());
});

test("names that could be none of a tenant or principal are refused, and say what is allowed", async () => {
  for (const tenant of ["", "a#b", "a\nb", "a".repeat(129)]) {
    await assert.rejects(firstToken(place, { tenant, principal: "owner" }), { field: "tenant" });
  }
  await assert.rejects(firstToken(place, { tenant: "acme", principal: "tab\there" }), { field: "principal" });
  assert.equal(await hasTokens(place, "acme"), false);
});
