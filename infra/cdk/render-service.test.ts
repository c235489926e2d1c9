import assert from "node:assert/strict";
import { test } from "node:test";
import { App, Stack } from "aws-cdk-lib";
import { Template } from "aws-cdk-lib/assertions";
import { Code } from "aws-cdk-lib/aws-lambda";
import * as z from "zod/mini";
import { metricUnits } from "#lib/log/metric.ts";
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

test("no policy allows a wildcard action, nor a wildcard resource but for traces, the bucket's objects and tools' secrets", () => {
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
      if (text.includes(":secret:planledger/*")) {
        assert.deepEqual(actions, ["secretsmanager:GetSecretValue"]);
      } else if (text.includes("*")) assert.deepEqual(actions, ["s3:GetObject", "s3:PutObject"]);
    }
  }
  assert.ok(statements > 20);
});

test("only what runs tools may read secrets, under the prefix of the context and no other", () => {
  const granted = (rendered: Template): readonly string[] =>
    Object.entries(rendered.findResources("AWS::IAM::Policy")).flatMap(([id, { Properties: policy }]) =>
      JSON.stringify(policy).includes("secretsmanager:") ? [id.replace(/RoleDefaultPolicy.*$/, "")] : [],
    );
  const running = Object.entries(topology.functions).flatMap(([name, { environment }]) =>
    environment.includes("TOOL_SECRETS") ? [name] : [],
  );
  assert.ok(running.length > 0);
  assert.deepEqual(granted(template).toSorted(), [...running].sort());
  const settingsOf = (rendered: Template): unknown => {
    const [worker] = Object.values(
      rendered.findResources("AWS::Lambda::Function", {
        Properties: { FunctionName: "planledger-executeWorker" },
      }),
    );
    const { TOOL_SECRETS, TOOL_ALLOWED_HOSTS } = worker?.Properties.Environment.Variables ?? {};
    return [TOOL_SECRETS, TOOL_ALLOWED_HOSTS];
  };
  assert.deepEqual(settingsOf(template), ["secrets-manager:planledger/", "none"]);
  const other = render({ secretsPrefix: "tools-", allowedHosts: "api.internal:8443,10.0.0.7" });
  assert.deepEqual(settingsOf(other), ["secrets-manager:tools-", "api.internal:8443,10.0.0.7"]);
  assert.match(JSON.stringify(other.findResources("AWS::IAM::Policy")), /:secret:tools-\*"/);
  const without = render({ secretsPrefix: "none" });
  assert.deepEqual(settingsOf(without), ["none", "none"]);
  assert.deepEqual(granted(without), []);
});

test("the authorizer is told of the context's JWT issuer, which needs an audience and HTTPS", () => {
  const jwtOf = (rendered: Template): unknown => {
    const [authorizer] = Object.values(
      rendered.findResources("AWS::Lambda::Function", {
        Properties: { FunctionName: "planledger-authorizer" },
      }),
    );
    const {
      TABLE_NAME: _,
      NODE_OPTIONS: _options,
      PLANLEDGER_VERSION: _version,
      PLANLEDGER_METRICS_SERVICE: _service,
      ...rest
    } = authorizer?.Properties.Environment.Variables ?? {};
    return rest;
  };
  assert.deepEqual(jwtOf(template), {
    JWT_ISSUER: "none",
    JWT_AUDIENCE: "none",
    JWT_TENANT_CLAIM: "tenant",
    JWT_PRINCIPAL_CLAIM: "sub",
  });
  const jwtIssuer = "https://login.example.com/realm";
  assert.deepEqual(jwtOf(render({ jwtIssuer, jwtAudience: "planledger", jwtTenantClaim: "custom:tenant" })), {
    JWT_ISSUER: jwtIssuer,
    JWT_AUDIENCE: "planledger",
    JWT_TENANT_CLAIM: "custom:tenant",
    JWT_PRINCIPAL_CLAIM: "sub",
  });
  assert.throws(() => render({ jwtIssuer }), /jwtAudience/);
  assert.throws(() => render({ jwtIssuer: "http://login.example.com", jwtAudience: "a" }), /jwtIssuer/);
});

test("the signing key is KMS's, or a parameter's, and only what signs may use it", () => {
  const signing = Object.entries(topology.functions).flatMap(([name, { environment }]) =>
    environment.includes("SIGNING_KEY") ? [name] : [],
  );
  const grantedTo = (rendered: Template, actions: readonly string[]): readonly string[] =>
    Object.entries(rendered.findResources("AWS::IAM::Policy")).flatMap(([id, { Properties: policy }]) =>
      actions.every((action) => JSON.stringify(policy).includes(`"${action}"`))
        ? [id.replace(/RoleDefaultPolicy.*$/, "")]
        : [],
    );
  assert.deepEqual(grantedTo(template, ["kms:Sign", "kms:GetPublicKey"]).toSorted(), [...signing].sort());
  const other = render({ signing: "parameter:/planledger/signing-key" });
  assert.deepEqual(grantedTo(other, ["ssm:GetParameter"]).toSorted(), [...signing].sort());
  assert.deepEqual(grantedTo(other, ["kms:Sign"]), []);
  assert.match(JSON.stringify(other.toJSON()), /:parameter\/planledger\/signing-key"/);
  assert.deepEqual(other.findResources("AWS::KMS::Key"), {});
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
  assert.throws(() => render({ name: "Not A Name" }), /name must be 3 to 20/);
});

test("the dashboard shows every metric that the service counts, and functions count under its name; both can be left out", () => {
  const body = (made: Template): string =>
    JSON.stringify(Object.values(made.findResources("AWS::CloudWatch::Dashboard")));
  const environment = (made: Template): string =>
    JSON.stringify(Object.values(made.findResources("AWS::Lambda::Function")));
  for (const metric of Object.keys(metricUnits))
    assert.ok(body(template).includes(`\\"${metric}\\"`), metric);
  assert.match(environment(template), /"PLANLEDGER_METRICS_SERVICE":"planledger"/);
  const without = render({ metrics: "false" });
  assert.doesNotMatch(body(without), /runsCompleted/);
  assert.doesNotMatch(environment(without), /PLANLEDGER_METRICS_SERVICE/);
});

test("submissions queues are those of the context, each with its dead letters, and the function may send to them alone", () => {
  const submissionQueues = JSON.stringify([
    { name: "nightlyJobs", tenant: "acme", principal: "nightly", scopes: ["plans:write"] },
    { name: "partnerPlans", tenant: "globex", principal: "partner", scopes: ["plans:write"] },
  ]);
  const made = render({ submissionQueues });
  const names = Object.values(made.findResources("AWS::SQS::Queue")).map(
    (queue) => queue.Properties?.QueueName,
  );
  for (const name of ["nightlyJobs", "nightlyJobsDeadLetter", "partnerPlans", "partnerPlansDeadLetter"]) {
    assert.ok(names.includes(`planledger-${name}`), name);
  }
  assert.ok(!names.includes("planledger-submissions"));
  const [submissions] = Object.values(made.findResources("AWS::Lambda::Function")).filter(
    (resource) => resource.Properties?.FunctionName === "planledger-executeSubmissions",
  );
  const document = JSON.stringify(submissions?.Properties?.Environment?.Variables?.SUBMISSION_QUEUES);
  assert.match(document, /planledger-nightlyJobs.*tenant.*acme.*planledger-partnerPlans.*globex/);
  assert.throws(() => render({ submissionQueues: '[{ "name": "x" }]' }), /submissionQueues/);
  assert.throws(() => render({ submissionQueues: "no JSON" }), /submissionQueues/);
});

test("an event bus is off unless it is named; then one function may put events onto it, and movers know of it", () => {
  const puts = (made: Template): number =>
    JSON.stringify(made.toJSON()).split('"events:PutEvents"').length - 1;
  const listeners = (made: Template): string =>
    JSON.stringify(Object.values(made.findResources("AWS::Lambda::Function")));
  assert.equal(puts(template), 0);
  assert.match(listeners(template), /"PHASE_LISTENERS":"webhooks"/);
  const made = render({ eventBus: "plans" });
  assert.equal(puts(made), 1);
  assert.match(listeners(made), /"PHASE_LISTENERS":"all"/);
  assert.doesNotMatch(listeners(made), /"PHASE_LISTENERS":"webhooks"/);
  assert.match(JSON.stringify(made.toJSON()), /event-bus\/plans/);
});

test("deliveries to webhooks may be removed by the table when they are old", () => {
  const [table] = all("AWS::DynamoDB::GlobalTable");
  assert.match(JSON.stringify(table), /"TimeToLiveSpecification":\{"AttributeName":"ttl","Enabled":true\}/);
});
