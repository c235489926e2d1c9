import { setTimeout as delay } from "node:timers/promises";
import { DynamoDBClient } from "@aws-sdk/client-dynamodb";
import { dynamodbFrontierStore } from "#lib/run/dynamodb-frontier-store.ts";
import type { Frontier } from "#lib/run/frontier.ts";

const settings = {
  region: "us-east-1",
  credentials: { accessKeyId: "local", secretAccessKey: "local" },
  maxAttempts: 10,
} as const;

/** Frontiers of the embedded service's table, read past everything that counts or caches. */
export function watchFrontiers(dynamodbEndpoint: string) {
  const client = new DynamoDBClient({ ...settings, endpoint: dynamodbEndpoint });
  const never = () => {
    throw new Error("only read");
  };
  const store = dynamodbFrontierStore({ client, tableName: "planledger", ids: { ulid: never } });

  /** The frontier of run 1 once the condition holds; rejects when the plan ended otherwise. */
  const until = async (
    key: { readonly planId: string; readonly tenant?: string },
    holds: (frontier: Frontier) => boolean,
  ): Promise<Frontier> => {
    for (;;) {
      const frontier = await store.read({ tenant: "local", run: 1, ...key });
      if (frontier !== undefined && holds(frontier)) return frontier;
      if (frontier !== undefined && "digest" in frontier.state) {
        throw new Error(`plan ${key.planId} is ${frontier.state.phase} at ${frontier.position}`);
      }
      await delay(5);
    }
  };
  return {
    until,
    ended: (key: { readonly planId: string; readonly tenant?: string }) =>
      until(key, ({ state }) => "digest" in state),
    stop: () => client.destroy(),
  };
}
