import assert from "node:assert/strict";
import { test } from "node:test";
import { GetQueueAttributesCommand, ReceiveMessageCommand } from "@aws-sdk/client-sqs";
import { ensureQueues } from "../../infra/local/ensure-queues.ts";
import { emulatedAws } from "../table/emulated-aws.testkit.ts";
import { injectFaults } from "../table/injected-faults.testkit.ts";
import type { Hint } from "./run-store.ts";
import { sqsHintQueue } from "./sqs-hint-queue.ts";

const aws = await emulatedAws();
const queues = [
  {
    name: "hints",
    visibilityTimeoutSeconds: 360,
    retentionSeconds: 3600,
    deadLetter: { queue: "dead", maximumReceiveCount: 5 },
  },
  { name: "dead", visibilityTimeoutSeconds: 60, retentionSeconds: 7200 },
];
const ensure = () => ensureQueues({ client: aws.sqs(), endpoint: aws.sqsEndpoint(), queues });
const urls = await ensure();
const queueUrl = urls.get("hints") ?? "";
const hint: Hint = { v: 1, tenant: "acme", planId: "plan", run: 2, watch: { worker: 3, seen: 4 } };

const attributes = async () => {
  const found = await aws
    .sqs()
    .send(new GetQueueAttributesCommand({ QueueUrl: queueUrl, AttributeNames: ["All"] }));
  return found.Attributes ?? {};
};

test("queues are set up with time-outs and dead letters, and again without harm", async () => {
  assert.deepEqual(await ensure(), urls);
  const found = await attributes();
  assert.equal(found.VisibilityTimeout, "360");
  const redrive: unknown = JSON.parse(found.RedrivePolicy ?? "null");
  assert.deepEqual(redrive, {
    deadLetterTargetArn: "arn:aws:sqs:us-east-1:000000000000:dead",
    maxReceiveCount: 5,
  });
});

test("a hint arrives as it was sent, and once more where its sender got no answer", async () => {
  const client = aws.sqs();
  const faults = injectFaults(client);
  faults.script("SendMessage", ["answer_lost"]);
  await sqsHintQueue({ client, queueUrl }).send(hint);
  const received = await aws
    .sqs()
    .send(new ReceiveMessageCommand({ QueueUrl: queueUrl, MaxNumberOfMessages: 10, WaitTimeSeconds: 1 }));
  const bodies = (received.Messages ?? []).map((message): unknown => JSON.parse(message.Body ?? ""));
  assert.deepEqual(bodies, [hint, hint]);
});

test("a delayed hint waits, in whole seconds up to the longest that the service knows", async () => {
  const queue = sqsHintQueue({ client: aws.sqs(), queueUrl });
  for (const delaySeconds of [0.2, 5, 100_000]) await queue.send(hint, { delaySeconds });
  assert.equal((await attributes()).ApproximateNumberOfMessagesDelayed, "3");
});

test("an outage of the queue is an outage, not a lost hint", async () => {
  const client = aws.sqs();
  const faults = injectFaults(client);
  faults.script(
    "SendMessage",
    Array.from({ length: 4 }, () => "unavailable"),
  );
  await assert.rejects(sqsHintQueue({ client, queueUrl }).send(hint), {
    code: "unavailable",
    retryable: true,
  });
});
