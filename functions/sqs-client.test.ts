import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { test } from "node:test";
import { SendMessageCommand } from "@aws-sdk/client-sqs";
import { awsJsonStub } from "#lib/table/aws-json-stub.testkit.ts";
import { inInvocation } from "./invocation.ts";
import { sqsClient } from "./sqs-client.ts";

const traceHeader = "Root=1-6a0b1c2d-0123456789abcdef01234567;Sampled=1";
const value = { DataType: "String", StringValue: traceHeader };
const own = (count: number) =>
  Object.fromEntries(
    Array.from({ length: count }, (_, index) => [`own${index}`, { DataType: "Number", StringValue: "1" }]),
  );

/** What goes over the wire for a message that is sent in an invocation of that trace. */
const sent = async (attributes: ReturnType<typeof own>, trace: string | undefined) => {
  await using stub = await awsJsonStub(({ input }) => ({
    output: {
      MessageId: "m1",
      MD5OfMessageBody: createHash("md5").update(String(input.MessageBody)).digest("hex"),
    },
  }));
  const client = sqsClient({
    AWS_REGION: "us-east-1",
    AWS_ENDPOINT_URL: stub.url,
    AWS_ACCESS_KEY_ID: "test",
    AWS_SECRET_ACCESS_KEY: "test",
  });
  const send = () =>
    client.send(
      new SendMessageCommand({
        QueueUrl: `${stub.url}/0/q`,
        MessageBody: "m",
        MessageAttributes: attributes,
      }),
    );
  await (trace === undefined ? send() : inInvocation({ requestId: "r1", traceHeader: trace }, send));
  client.destroy();
  return stub.calls[0]?.input ?? {};
};

test("a message carries the trace of the invocation that sends it, for X-Ray and for our own logs, beside its own attributes", async () => {
  const { MessageSystemAttributes: system, MessageAttributes: attributes } = await sent(own(1), traceHeader);
  assert.deepEqual(system, { AWSTraceHeader: value });
  assert.deepEqual(attributes, { traceHeader: value, ...own(1) });
});

test("a message with as many attributes as SQS takes gets no more", async () => {
  const { MessageSystemAttributes: system, MessageAttributes: attributes } = await sent(own(10), traceHeader);
  assert.deepEqual(system, { AWSTraceHeader: value });
  assert.deepEqual(attributes, own(10));
});

test("outside an invocation a message goes as it is", async () => {
  const { MessageSystemAttributes: system, MessageAttributes: attributes } = await sent(own(1), undefined);
  assert.equal(system, undefined);
  assert.deepEqual(attributes, own(1));
});
