import assert from "node:assert/strict";
import { test } from "node:test";
import { stubService } from "#lib/client/stub-service.testkit.ts";
import { commandRunner } from "./run-in-process.testkit.ts";

const refused = {
  status: 429,
  json: { code: "quota_exceeded", detail: "The tenant has sent 5 requests within this minute." },
};

test("a command waits when the service is over a quota, says so on stderr, and prints its one document", async () => {
  let refusals = 2;
  await using service = await stubService(() =>
    refusals-- > 0 ? { ...refused, headers: { "retry-after": "0" } } : { status: 200, json: { plans: [] } },
  );
  const run = commandRunner({ url: service.url, token: "plt_test_secret", cwd: import.meta.dirname });
  const listed = await run("plan", "list", "--json");
  assert.equal(listed.exitCode, 0, listed.stderr);
  assert.deepEqual(listed.json().plans, []);
  assert.match(
    listed.stderr,
    /^over a quota of the service: trying again in 0\.\d s \(attempt 2 of 6\)\nover a quota .*\(attempt 3 of 6\)\n$/,
  );
});

test("a quota that is exceeded for long is told at once, with the service's words", async () => {
  await using service = await stubService(() => ({ ...refused, headers: { "retry-after": "3000" } }));
  const run = commandRunner({ url: service.url, token: "plt_test_secret", cwd: import.meta.dirname });
  const listed = await run("plan", "list");
  assert.equal(listed.exitCode, 1);
  assert.match(listed.stderr, /sent 5 requests within this minute/);
  assert.equal(service.seen.length, 1);
});

test("dev takes limits and an issuer as a deploy has them, and says what is wrong with others", async () => {
  const run = commandRunner({ url: "http://127.0.0.1:1", token: "t", cwd: import.meta.dirname });
  for (const [args, problem] of [
    [["--quotas", '{"plans":1}'], /\/plans is not a known field here \(there: requestsPerMinute, /],
    [["--quotas", '{"tenants":{"a":{"plans":1}}}'], /\/tenants\/a\/plans is not a known .*openRuns/],
    [["--quotas", '{"plansPerMinute":0}'], /\/plansPerMinute must be at least 1/],
    [["--quotas", "[]"], /it must be an object, not an array/],
    [["--quotas", "many"], /no JSON/],
    [["--jwt-issuer", "http://login.example.com", "--jwt-audience", "a"], /HTTPS/],
    [["--jwt-issuer", "https://login.example.com"], /go together/],
    [["--jwt-audience", "a"], /go together/],
  ] as const) {
    const refused = await run("dev", ...args);
    assert.equal(refused.exitCode, 2, args.join(" "));
    assert.match(refused.stderr, problem);
  }
});
