import assert from "node:assert/strict";
import { test } from "node:test";
import { EventBridgeClient } from "@aws-sdk/client-eventbridge";
import { awsJsonStub } from "../table/aws-json-stub.testkit.ts";
import { eventbridgePhaseEvents } from "./eventbridge-phase-events.ts";

const credentials = { accessKeyId: "test", secretAccessKey: "test" };
const event = { detail: '{"phase":"failed"}', atEpochSeconds: 1_790_000_000 };

test("an event that the bus takes has arrived; one that it refuses, or an outage, is an attempt that failed", async () => {
  const answers = [
    { output: { FailedEntryCount: 0, Entries: [{ EventId: "1" }] } },
    { output: { FailedEntryCount: 1, Entries: [{ ErrorCode: "NotAuthorizedForSourceException" }] } },
    { fault: "ResourceNotFoundException" },
  ];
  await using bus = await awsJsonStub(() => answers.shift() ?? { fault: "InternalException" });
  const client = new EventBridgeClient({
    endpoint: bus.url,
    region: "eu-west-1",
    credentials,
    maxAttempts: 1,
  });
  const put = eventbridgePhaseEvents({ client, busName: "plans" });
  assert.deepEqual(await put(event), { kind: "answered", status: 200 });
  const failed = { kind: "failed", code: "external_failed" };
  for (const reason of [
    "NotAuthorizedForSourceException",
    "ResourceNotFoundException",
    "InternalException",
  ]) {
    assert.deepEqual(await put(event), { ...failed, message: `The event bus refused the event: ${reason}.` });
  }
  client.destroy();
  assert.deepEqual(bus.calls[0]?.input, {
    Entries: [
      {
        EventBusName: "plans",
        Source: "planledger",
        DetailType: "Plan phase changed",
        Detail: event.detail,
        Time: event.atEpochSeconds,
      },
    ],
  });
});
