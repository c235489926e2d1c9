import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import {
  type Message,
  type MessageAttributeValue,
  ReceiveMessageCommand,
  SendMessageBatchCommand,
  SendMessageCommand,
  SQSClient,
} from "@aws-sdk/client-sqs";
import * as z from "zod/mini";
import { clientOf, planWriting } from "./embedded-service.testkit.ts";
import { type EmbeddedService, startEmbeddedService } from "./start-embedded-service.ts";

let running: EmbeddedService;
let sqs: SQSClient;
let queueUrl = "";

before(async () => {
  running = await startEmbeddedService({ port: 0 });
  queueUrl = running.submissionQueueUrls.submissions ?? "";
  sqs = new SQSClient({
    endpoint: new URL(queueUrl).origin,
    region: "us-east-1",
    credentials: { accessKeyId: "local", secretAccessKey: "local" },
    useQueueUrlAsEndpoint: false,
  });
});
after(async () => {
  sqs.destroy();
  await running.stop();
});

const service = clientOf(() => running);
const submission = (planId: string, plan: unknown, more: object = {}): string =>
  JSON.stringify({ v: 1, planId, plan, ...more });
const send = (body: string, attributes: Record<string, MessageAttributeValue> = {}) =>
  sqs.send(new SendMessageCommand({ QueueUrl: queueUrl, MessageBody: body, MessageAttributes: attributes }));
const known = async (planId: string): Promise<void> => {
  for (
    const untilMs = performance.now() + 60_000;
    (await service.send(`/v1/plans/${planId}`)).status !== 200;
  ) {
    if (performance.now() > untilMs) throw new Error(`plan ${planId} was not taken`);
  }
};
/** Dead letters until there are `count`, by what they hold. */
const deadLetters = async (count: number): Promise<readonly Message[]> => {
  const found: Message[] = [];
  for (const untilMs = performance.now() + 60_000; found.length < count && performance.now() < untilMs; ) {
    const { Messages: messages = [] } = await sqs.send(
      new ReceiveMessageCommand({
        QueueUrl: `${queueUrl}DeadLetter`,
        MaxNumberOfMessages: 10,
        WaitTimeSeconds: 1,
        MessageAttributeNames: ["All"],
      }),
    );
    found.push(...messages);
  }
  return found;
};
const codeOf = ({ MessageAttributes: attributes }: Message) => attributes?.refusalCode?.StringValue;

test("a plan on the submissions queue is the plan that the route would have taken, of the queue's tenant and principal", async () => {
  await send(submission("queued", planWriting("a.txt", "a")));
  await known("queued");
  assert.equal((await service.ended("queued")).phase, "completed");
  const again = await service.sendJson("/v1/plans/queued/execute", planWriting("a.txt", "a"));
  assert.equal(again.status, 202, again.text);
  const other = await service.sendJson("/v1/plans/queued/execute", planWriting("a.txt", "b"));
  const conflict = z.parse(
    z.object({ code: z.string(), details: z.object({ submittedBy: z.string() }) }),
    other.json(),
  );
  assert.deepEqual([conflict.code, conflict.details.submittedBy], ["plan_exists", "submissions-queue"]);
});

test("a batch is taken message by message: refused ones lie among the dead letters with the reason, the others run", async () => {
  const bodies = [
    submission("one", planWriting("a.txt", "1")),
    "not JSON",
    submission("two", planWriting("a.txt", "2")),
    submission("three", { decisions: [], extra: true }),
    submission("one", planWriting("a.txt", "another document")),
    submission("foreign", planWriting("a.txt", "3"), { tenant: "globex" }),
    submission("one", planWriting("a.txt", "1")),
  ];
  const expected = ["malformed_json", "plan_exists", "validation_failed", "validation_failed"];
  await send(bodies[0] ?? "");
  await known("one");
  await sqs.send(
    new SendMessageBatchCommand({
      QueueUrl: queueUrl,
      Entries: bodies.map((MessageBody, index) => ({ Id: `m${index}`, MessageBody })),
    }),
  );
  const refused = await deadLetters(expected.length);
  assert.deepEqual(refused.map(codeOf).sort(), expected);
  const reasons = new Map(
    refused.map(({ Body: body = "", MessageAttributes: attributes }) => [
      body,
      attributes?.refusalReason?.StringValue ?? "",
    ]),
  );
  assert.match(reasons.get(bodies[5] ?? "") ?? "", /cannot say for whom it is sent: its tenant/);
  assert.match(reasons.get(bodies[3] ?? "") ?? "", /\/extra is not a known field/);
  await known("two");
  for (const planId of ["one", "two"]) assert.equal((await service.ended(planId)).phase, "completed");
  assert.equal((await service.send("/v1/plans/foreign")).status, 404);
});
