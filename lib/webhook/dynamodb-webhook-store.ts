import type { DynamoDBClient } from "@aws-sdk/client-dynamodb";
import type { IdSource } from "../run/clock.ts";
import { dynamodbTable } from "../table/dynamodb-table.ts";
import { bytesAttribute, numberAttribute, requireVersion } from "../table/item-attributes.ts";
import { packJson, unpackJson } from "../table/packed-json.ts";
import { webhooksKey } from "../table/table-keys.ts";
import { dynamodbListening } from "./dynamodb-listening.ts";
import { storedWebhooks } from "./stored-webhooks.ts";
import { isListening, noWebhooks } from "./webhook.ts";
import type { WebhookStore } from "./webhook-store.ts";

const dictionary =
  '"submitted","running","paused","completed","failed","cancelled","applying","applied"]"disabled":{"atEpochMs":17,"reason":"' +
  '"failingSinceEpochMs":17"former":{"untilEpochMs":17{"webhooks":[{"id":"01","name":"","url":"https://","phases":["secret":{"kind":"generated",' +
  '"text":"whsec_"kind":"named","createdBy":"","createdAtEpochMs":17,"listensSinceEpochMs":17';

/**
 * A tenant's webhooks on DynamoDB, in one item, so that all are read at once and none is added beyond the limit: `r` is its
 * revision, `w` names the write (one whose answer was lost finds its own), `n` counts those that are not disabled, `d` is the
 * list.
 */
export const dynamodbWebhookStore = (options: {
  readonly client: DynamoDBClient;
  readonly tableName: string;
  readonly ids: IdSource;
}): WebhookStore => {
  const table = dynamodbTable(options);
  return {
    listens: dynamodbListening(options),

    async read(tenant) {
      const item = await table.get(webhooksKey(tenant));
      if (item === undefined) return noWebhooks(tenant);
      requireVersion(item, 1);
      const rest = unpackJson(bytesAttribute(item, "d"), { dictionary, schema: storedWebhooks });
      return { v: 1, tenant, revision: numberAttribute(item, "r"), ...rest };
    },

    async write({ v, tenant, revision, ...rest }) {
      const write = options.ids.ulid();
      const item = {
        ...webhooksKey(tenant),
        v,
        r: revision,
        w: write,
        n: rest.webhooks.filter(isListening).length,
        d: packJson(rest, dictionary),
      };
      const outcome =
        revision === 1
          ? await table.putIfAbsent(item)
          : await table.putIf(item, { expression: "r = :r", values: { ":r": revision - 1 } });
      return outcome.written || outcome.standing?.w === write;
    },
  };
};
