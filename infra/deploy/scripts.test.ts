import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { test } from "node:test";
import { stubService } from "#lib/client/stub-service.testkit.ts";

const root = join(import.meta.dirname, "../..");

/** Runs a script in an empty directory, with nothing of AWS from this process's environment. */
async function run(script: string, args: readonly string[], environment: NodeJS.ProcessEnv = {}) {
  const cwd = await mkdtemp(join(tmpdir(), "planledger-script-"));
  const inherited = Object.entries(process.env).filter(
    ([name]) => !/^(AWS|PLANLEDGER|NODE_TEST)_/.test(name),
  );
  const child = spawn(process.execPath, [join(root, "scripts", script), ...args], {
    cwd,
    env: { ...Object.fromEntries(inherited), ...environment },
    stdio: ["ignore", "pipe", "pipe"],
  });
  const { promise, resolve } = Promise.withResolvers<number | null>();
  child.once("close", resolve);
  const [stdout, stderr, exitCode] = await Promise.all([text(child.stdout), text(child.stderr), promise]);
  await rm(cwd, { recursive: true });
  return { stdout, stderr, exitCode };
}

const file = join(root, "package.json");

test("what a script does not take is wrong usage, said in one sentence and without a trace", async () => {
  const cases = [
    ["deploy.ts", ["--profile", "x"], /set AWS_PROFILE instead/],
    ["deploy-local.ts", ["--nope"], /Unknown option '--nope'/],
    ["deploy-local.ts", ["--port", "70000"], /--port must be 1 to 65535/],
    ["test-deployed.ts", ["--nope"], /Unknown option '--nope'/],
    ["first-token.ts", ["--tennant", "acme"], /Unknown option '--tennant'/],
    ["first-token.ts", [], /name the tenant: --tenant NAME/],
    ["first-token.ts", ["--tenant", "acme"], /set AWS_REGION/],
    ["signing-parameter.ts", ["--nope"], /Unknown option '--nope'/],
    ["signing-parameter.ts", [], /name one parameter/],
    ["send-submission.ts", ["a"], /give PLAN_ID and FILE/],
    ["send-submission.ts", ["a", file], /no planledger dev runs in this directory/],
    ["send-submission.ts", ["a", file, "queue"], /QUEUE_URL is no URL: queue/],
    ["send-submission.ts", ["a", "nope.yaml", "http://127.0.0.1:1/0/queue"], /there is no file nope\.yaml/],
  ] as const;
  for (const [script, args, problem] of cases) {
    const { stdout, stderr, exitCode } = await run(script, args);
    assert.match(stderr, problem);
    assert.match(stderr, /^error: .+\n\(add --help for how to use it\)\n$/);
    assert.deepEqual({ stdout, exitCode }, { stdout: "", exitCode: 2 }, `${script} ${args.join(" ")}`);
  }
});

test("--help of a script says how to use it and does nothing else", async () => {
  for (const script of [
    "deploy.ts",
    "deploy-local.ts",
    "test-deployed.ts",
    "first-token.ts",
    "signing-parameter.ts",
    "send-submission.ts",
  ]) {
    const { stdout, stderr, exitCode } = await run(script, ["--help"]);
    assert.match(stdout, /^Usage: np[mx] /, script);
    assert.deepEqual({ stderr, exitCode }, { stderr: "", exitCode: 0 }, script);
  }
});

test("a first token for what stands at AWS_ENDPOINT_URL needs no more than that and a tenant", async () => {
  await using table = await stubService(() => ({ status: 200, json: {} }));
  const made = await run("first-token.ts", ["--tenant", "acme"], {
    AWS_ENDPOINT_URL: table.url,
  });
  assert.equal(made.stderr, "");
  assert.match(made.stdout, /^plt_\S+\n$/);
  assert.match(table.seen[0]?.headers.authorization ?? "", /Credential=test\/\d+\/us-east-1\/dynamodb/);
});
