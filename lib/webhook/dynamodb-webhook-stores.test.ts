import assert from "node:assert/strict";
import { test } from "node:test";
import { GetCommand } from "@aws-sdk/lib-dynamodb";
import { ulid } from "ulid";
import { documentClient } from "../table/document-client.ts";
import { emulatedAws } from "../table/emulated-aws.testkit.ts";
import { injectFaults } from "../table/injected-faults.testkit.ts";
import { deliveryKey } from "../table/table-keys.ts";
import { openedDelivery } from "./delivery-moves.ts";
import { deliveryStoreContract } from "./delivery-store.contract.ts";
import { dynamodbDeliveryStore } from "./dynamodb-delivery-store.ts";
import { dynamodbWebhookStore } from "./dynamodb-webhook-store.ts";
import { noWebhooks } from "./webhook.ts";
import { webhookStoreContract } from "./webhook-store.contract.ts";

const aws = await emulatedAws();
const ids = { ulid: () => ulid() };
const tableName = await aws.newTable();
const table = () => ({ client: aws.dynamodb(), tableName, ids });

webhookStoreContract("on DynamoDB", async () => dynamodbWebhookStore(table()));
deliveryStoreContract("on DynamoDB", async () => dynamodbDeliveryStore(table()));

const delivery = openedDelivery(
  {
    tenant: "acme",
    listener: "ops",
    webhookId: "01ARZ3NDEKTSV4RRFFQ69G5FAV",
    planId: "wire",
    run: 1,
    sequence: 3,
    phase: "completed",
    atEpochSeconds: 1_790_000_000,
    body: JSON.stringify({
      type: "plan.phase_changed",
      timestamp: "2026-09-21T14:13:20.000Z",
      data: {
        tenant: "acme",
        planId: "wire",
        run: 1,
        phase: "completed",
        sequence: 3,
        at: "2026-09-21T14:13:20.000Z",
        digest: "3f".repeat(32),
        counts: { decisions: 1000, final: 1000, landed: 1000, failed: 0, skipped: 0 },
      },
    }),
  },
  1_790_000_000_000,
);

test("a write whose answer was lost is known as the writer's own", async () => {
  const { client, ...rest } = table();
  const faults = injectFaults(client);
  const webhooks = dynamodbWebhookStore({ client, ...rest });
  const deliveries = dynamodbDeliveryStore({ client, ...rest });
  faults.script("PutItem", ["answer_lost"]);
  assert.equal(await deliveries.open(delivery), true);
  faults.script("PutItem", ["answer_lost"]);
  assert.equal(await deliveries.move({ ...delivery, revision: 1 }), true);
  faults.script("PutItem", ["answer_lost"]);
  assert.equal(await webhooks.write({ ...noWebhooks("lost"), revision: 1 }), true);
});

test("a delivery takes less than a kilobyte, and says when it may be removed", async () => {
  const store = dynamodbDeliveryStore(table());
  const fresh = { ...delivery, planId: "small" };
  await store.open(fresh);
  const { Item: item = {} } = await documentClient(aws.dynamodb()).send(
    new GetCommand({ TableName: tableName, Key: deliveryKey(fresh) }),
  );
  const sizeBytes = Object.entries(item).reduce(
    (sum, [name, value]) =>
      sum + name.length + (value instanceof Uint8Array ? value.byteLength : String(value).length),
    0,
  );
  assert.ok(sizeBytes < 1024, `${sizeBytes} bytes`);
  assert.equal(item.ttl, 1_790_000_000 + 30 * 86_400);
});
