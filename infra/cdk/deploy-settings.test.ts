import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { test } from "node:test";
import { App } from "aws-cdk-lib";
import { deploySettings } from "./deploy-settings.ts";

const settingsOf = (context: Readonly<Record<string, unknown>>) => deploySettings(new App({ context }));

test("a setting that is wrong is refused by its name, with what is allowed", () => {
  for (const [context, allowed] of [
    [{ name: "X" }, /name must be 3 to 20 of a-z/],
    [{ version: "a b" }, /version must be 1 to 64 letters/],
    [{ logRetentionDays: "abc" }, /logRetentionDays must be a whole number/],
    [{ logRetentionDays: "31" }, /logRetentionDays must be one of 1, 3, 5, 7, 14, 30, 60.*3653\./],
    [{ retainData: "no" }, /retainData must be true or false/],
    [{ alarms: "maybe" }, /alarms must be true or false/],
    [{ metrics: "" }, /metrics must be true or false/],
    [{ signing: "ksm" }, /signing must be kms or parameter:NAME/],
    [{ allowedHosts: "" }, /allowedHosts must be HOST or HOST:PORT/],
    [{ allowedHosts: "api.internal,http://api.internal/" }, /allowedHosts must be HOST or HOST:PORT/],
    [{ secretsPrefix: "a b" }, /secretsPrefix must be 1 to 200 letters/],
    [{ eventBus: "a b" }, /eventBus must be the name of an event bus/],
    [{ submissionQueues: "{}" }, /submissionQueues must be an array, not an object/],
    [{ submissionQueues: "[" }, /submissionQueues must be an array, not a string/],
    [{ submissionQueues: '[{"name":"jobs"}]' }, /submissionQueues\/0\/tenant is required/],
    [{ provisionedPollers: "1" }, /provisionedPollers must be 2 to 200/],
    [{ jwtIssuer: "http://localhost:1", jwtAudience: "a" }, /jwtIssuer must be an https URL/],
    [{ jwtIssuer: "https://login.example.com?a", jwtAudience: "a" }, /jwtIssuer must be an https URL/],
    [{ jwtIssuer: "https://login.example.com" }, /go together/],
    [{ jwtAudience: "a" }, /go together/],
    [{ jwtTenantClaim: "" }, /jwtTenantClaim must have at least 1 character/],
    [{ quotas: "some" }, /quotas must be an object, not a string/],
    [{ quotas: '{"plansPerMinut":1}' }, /quotas\/plansPerMinut is not a known field .*plansPerMinute/],
    [
      { quotas: { tenants: { acme: { openRuns: -1 } } } },
      /quotas\/tenants\/acme\/openRuns must be at least 1/,
    ],
  ] as const) {
    assert.throws(
      () => settingsOf(context),
      { code: "validation_failed", message: allowed },
      JSON.stringify(context),
    );
  }
});

test("a name that no setting has is refused with those there are; what the CDK or another tool calls so is left alone", () => {
  assert.throws(() => settingsOf({ logRetentionDay: "90" }), {
    message: /logRetentionDay is no setting \(there: name, version, logRetentionDays, /,
  });
  settingsOf({
    "@aws-cdk/core:target-partitions": ["aws"],
    "acknowledged-issue-numbers": [1],
    "aws:cdk:x": 1,
  });
});

test("settings come as texts of the command line, or as they are in cdk.json", () => {
  const jobs = [{ name: "jobs", tenant: "acme", principal: "nightly", scopes: ["plans:write" as const] }];
  for (const value of [jobs, JSON.stringify(jobs)]) {
    assert.deepEqual(settingsOf({ submissionQueues: value }).submissionQueues, jobs);
  }
  for (const value of [{ openRuns: 3 }, '{"openRuns":3}']) {
    assert.partialDeepStrictEqual(settingsOf({ quotas: value }).quotas, {
      openRuns: 3,
      plansPerMinute: 3000,
    });
  }
  assert.equal(settingsOf({ quotas: "none" }).quotas, "none");
  const taken = settingsOf({
    logRetentionDays: "90",
    alarms: "false",
    allowedHosts: "api.internal:8443,10.0.0.7",
  });
  assert.partialDeepStrictEqual(taken, { logRetentionDays: 90, alarms: false });
});

test("the app ends with what is wrong in its context, and nothing else", () => {
  const ended = spawnSync(process.execPath, [join(import.meta.dirname, "app.ts")], {
    env: { ...process.env, CDK_CONTEXT_JSON: '{"alarms":"maybe"}' },
    encoding: "utf8",
  });
  assert.equal(ended.stderr, "error: The context of this deploy is wrong: alarms must be true or false.\n");
  assert.equal(ended.status, 1);
});
