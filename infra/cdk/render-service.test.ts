import assert from "node:assert/strict";
import { test } from "node:test";
import { App, Stack } from "aws-cdk-lib";
import { Template } from "aws-cdk-lib/assertions";
import { Code } from "aws-cdk-lib/aws-lambda";
import * as z from "zod/mini";
import { topology } from "../topology.ts";
import { deploySettings } from "./deploy-settings.ts";
import { renderService } from "./render-service.ts";

function render(context: Record<string, unknown> = {}): Template {
  const app = new App({ context });
  const stack = new Stack(app, "test");
  const codeOf = (): Code => Code.fromAsset(import.meta.dirname);
  renderService(stack, { topology, settings: deploySettings(app) }, { codeOf, version: "0.0.0" });
  return Template.fromStack(stack);
}

const policyDocument = z.object({
  Statement: z.array(z.object({ Action: z.union([z.string(), z.array(z.string())]), Resource: z.unknown() })),
});
const lifecycle = z.object({
  Rules: z.array(z.object({ ExpirationInDays: z.optional(z.number()), Prefix: z.optional(z.string()) })),
});
const template = render();
type Properties = Readonly<Record<string, unknown>>;
const all = (type: string): Properties[] =>
  Object.values(template.findResources(type)).map((resource) => resource.Properties ?? {});

test("every function of the topology is rendered, with its own memory, time limit and role", () => {
  const functions = all("AWS::Lambda::Function").filter(({ FunctionName: name }) => name !== undefined);
  const rendered = functions.map((made) => [
    made.FunctionName,
    made.MemorySize,
    made.Timeout,
    made.Runtime,
    made.Architectures,
  ]);
  const expected = Object.entries(topology.functions).map(([name, { memoryMegabytes, timeoutSeconds }]) => [
    `planledger-${name}`,
    memoryMegabytes,
    timeoutSeconds,
    "nodejs24.x",
    ["arm64"],
  ]);
  assert.deepEqual(rendered.sort(), expected.sort());
  const roles = functions.map((made) => JSON.stringify(made.Role));
  assert.equal(new Set(roles).size, functions.length);
});

test("F2: every queue's visibility is at least six times its consumer's time limit, and each has its dead letters", () => {
  const queues = all("AWS::SQS::Queue");
  assert.equal(queues.length, Object.keys(topology.queues).length);
  for (const [name, { consumer, deadLetter }] of Object.entries(topology.queues)) {
    const queue: Properties | undefined = queues.find((one) => one.QueueName === `planledger-${name}`);
    assert.ok(queue !== undefined, name);
    const limit = consumer === undefined ? 0 : (topology.functions[consumer.function]?.timeoutSeconds ?? 0);
    assert.ok(Number(queue.VisibilityTimeout) >= 6 * limit, name);
    assert.equal(queue.SqsManagedSseEnabled, true);
    if (deadLetter === undefined) continue;
    const redrive = z.parse(z.object({ maxReceiveCount: z.number() }), queue.RedrivePolicy);
    assert.ok(redrive.maxReceiveCount >= 5, name);
  }
});

test("no policy allows a wildcard action, nor a wildcard resource but for traces and the bucket's objects", () => {
  let statements = 0;
  for (const policy of all("AWS::IAM::Policy")) {
    for (const { Action: action, Resource: resource } of z.parse(policyDocument, policy.PolicyDocument)
      .Statement) {
      statements++;
      const actions = [action].flat();
      assert.ok(!actions.some((one) => one.includes("*")), actions.join());
      if (actions.every((one) => one.startsWith("xray:"))) continue;
      const text = JSON.stringify(resource);
      assert.notEqual(text, '"*"', actions.join());
      if (text.includes("*")) assert.deepEqual(actions, ["s3:GetObject", "s3:PutObject"]);
    }
  }
  assert.ok(statements > 20);
});

test("table and bucket are encrypted, recoverable and private, and only staged content expires", () => {
  const [table] = all("AWS::DynamoDB::GlobalTable");
  const text = JSON.stringify(table);
  assert.match(text, /"SSEEnabled":true/);
  assert.match(text, /"PointInTimeRecoveryEnabled":true/);
  assert.match(text, /"BillingMode":"PAY_PER_REQUEST"/);
  const [bucket] = all("AWS::S3::Bucket");
  const block = {
    BlockPublicAcls: true,
    BlockPublicPolicy: true,
    IgnorePublicAcls: true,
    RestrictPublicBuckets: true,
  };
  assert.deepEqual(bucket?.PublicAccessBlockConfiguration, block);
  assert.ok(bucket?.BucketEncryption !== undefined);
  const rules = z.parse(lifecycle, bucket.LifecycleConfiguration).Rules;
  assert.deepEqual(
    rules.filter((rule) => rule.ExpirationInDays !== undefined).map((rule) => rule.Prefix),
    [topology.bucket.stagedPrefix],
  );
});

test("every route goes to its function, behind the authorizer where the topology says so", () => {
  const routes = all("AWS::ApiGatewayV2::Route").map((route) => [route.RouteKey, route.AuthorizationType]);
  const expected = topology.routes.map(({ route, authorized }) => [route, authorized ? "CUSTOM" : "NONE"]);
  assert.deepEqual(routes.sort(), expected.sort());
});

test("alarms can be left out for endpoints that lack them, and a wrong setting is named", () => {
  assert.ok(all("AWS::CloudWatch::Alarm").length > 0);
  assert.equal(Object.keys(render({ alarms: "false" }).findResources("AWS::CloudWatch::Alarm")).length, 0);
  assert.throws(() => render({ name: "Not A Name" }), /name: must be 3 to 20/);
});
