import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import { Webhook } from "standardwebhooks";
import * as z from "zod/mini";
import { awsJsonStub } from "#lib/table/aws-json-stub.testkit.ts";
import { outsideServer, type ReceivedRequest } from "#lib/tools/external/outside.testkit.ts";
import { clientOf, planWriting, type ServiceUnderTest } from "./embedded-service.testkit.ts";
import { startEmbeddedService } from "./start-embedded-service.ts";

const directory = mkdtempSync(join(tmpdir(), "phases-told-"));
after(() => rmSync(directory, { recursive: true, force: true }));

const message = z.object({ data: z.object({ phase: z.string(), sequence: z.number(), planId: z.string() }) });
const told = ({ body }: ReceivedRequest) => message.parse(JSON.parse(body)).data;
const phases = (received: readonly ReceivedRequest[]) =>
  [...new Set(received.map(told).map(({ sequence, phase }) => `${sequence} ${phase}`))].sort();
const allPhases = ["1 submitted", "2 running", "3 completed"];

/** Until it is so; what is told comes some time after the status shows it. */
const until = async (what: string, isSo: () => boolean | Promise<boolean>): Promise<void> => {
  for (const untilMs = performance.now() + 60_000; !(await isSo()); ) {
    if (performance.now() > untilMs) throw new Error(`never came: ${what}`);
    await new Promise((resolve) => setImmediate(resolve));
  }
};

const putWebhook = async (service: ServiceUnderTest, name: string, url: string): Promise<string> => {
  const answer = await service.sendJson(`/v1/webhooks/${name}`, { url }, { method: "PUT" });
  assert.equal(answer.status, 201, answer.text);
  return z.parse(z.object({ signingSecret: z.string() }), answer.json()).signingSecret;
};

test("a receiver is told every phase, and verifies it with the specification's own library", async () => {
  await using receiver = await outsideServer();
  const running = await startEmbeddedService({ port: 0, allowedHosts: [`127.0.0.1:${receiver.port}`] });
  try {
    const service = clientOf(() => running);
    const secret = await putWebhook(service, "ops", `${receiver.url}/hook`);
    await service.sendJson("/v1/plans/p1/execute", planWriting("a.txt", "a"));
    await until("three phases", () => phases(receiver.received).length === 3);
    assert.deepEqual(phases(receiver.received), allPhases);
    for (const { headers, body } of receiver.received) {
      const sent = Object.entries(headers).map(([name, value]) => [name, String(value)]);
      new Webhook(secret).verify(body, Object.fromEntries(sent));
    }
    const delivered = async () =>
      (await service.send("/v1/webhooks/ops/deliveries")).text.split('"state":"delivered"').length - 1;
    await until("three deliveries on record", async () => (await delivered()) === 3);
  } finally {
    await running.stop();
  }
});

test("what was not told or delivered when the service stopped is delivered after its next start, though its queues were lost", async () => {
  await using receiver = await outsideServer();
  const dataDir = join(directory, "restarts");
  const options = { port: 0, dataDir, allowedHosts: [`127.0.0.1:${receiver.port}`] };
  const silent = new Set(["phaseAnnounce", "phaseDeliver"]);
  const first = await startEmbeddedService({
    ...options,
    wrapHandler: (name, handler) => async (event, context) =>
      silent.has(name) ? Promise.reject(new Error("nobody tells anything now")) : handler(event, context),
  });
  const service = clientOf(() => first);
  const delivering = async () =>
    (await service.send("/v1/webhooks/ops/deliveries")).text.split('"state":"pending"').length - 1;
  await putWebhook(service, "ops", `${receiver.url}/hook`);
  await service.sendJson("/v1/plans/untold/execute", planWriting("a.txt", "a"));
  assert.equal((await service.ended("untold")).phase, "completed");
  silent.delete("phaseAnnounce");
  await service.sendJson("/v1/plans/undelivered/execute", planWriting("a.txt", "a"));
  await until("deliveries of three phases wait", async () => (await delivering()) === 3);
  await first.stop();
  assert.equal(receiver.connections(), 0);

  const again = await startEmbeddedService(options);
  const of = (planId: string) => receiver.received.filter((request) => told(request).planId === planId);
  try {
    for (const planId of ["untold", "undelivered"]) {
      await until(`three phases of ${planId}`, () => phases(of(planId)).length === 3);
      assert.deepEqual(phases(of(planId)), allPhases);
    }
    assert.equal(new Set(receiver.received.map(({ headers }) => headers["webhook-id"])).size, 6);
  } finally {
    await again.stop();
  }
});

test("an event bus gets every phase of every tenant through EventBridge's own protocol, again where it was throttled", async () => {
  await using bus = await awsJsonStub(() => ({
    output: { FailedEntryCount: 0, Entries: [{ EventId: "1" }] },
  }));
  const running = await startEmbeddedService({
    port: 0,
    settings: { EVENT_BUS: "plans", AWS_ENDPOINT_URL_EVENTBRIDGE: bus.url },
  });
  const entry = z.object({
    EventBusName: z.literal("plans"),
    Source: z.literal("planledger"),
    DetailType: z.literal("Plan phase changed"),
    Detail: z.string(),
    Time: z.number(),
  });
  const detail = z.object({
    tenant: z.literal("local"),
    planId: z.literal("p1"),
    sequence: z.number(),
    phase: z.string(),
  });
  const events = () =>
    bus.calls.map(({ input }) => {
      const [only] = z.parse(z.object({ Entries: z.array(entry) }), input).Entries;
      const { sequence, phase } = detail.parse(JSON.parse(only?.Detail ?? ""));
      return `${sequence} ${phase}`;
    });
  try {
    bus.script("PutEvents", ["ThrottlingException"]);
    const service = clientOf(() => running);
    await service.sendJson("/v1/plans/p1/execute", planWriting("a.txt", "a"));
    await until(
      "three events and the throttled one again",
      () => events().length >= 4 && new Set(events()).size === 3,
    );
    assert.deepEqual([...new Set(events())].sort(), allPhases);
    assert.ok(
      bus.calls.every(({ operation, scope }) => operation === "PutEvents" && scope === "events/us-east-1"),
    );
  } finally {
    await running.stop();
  }
});
