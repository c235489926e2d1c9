import assert from "node:assert/strict";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import * as z from "zod/mini";
import { awsJsonStub } from "#lib/table/aws-json-stub.testkit.ts";
import { describeEnvironment, readEnvironment, workerEnvironment } from "./environment.ts";
import { wireOutside } from "./outside.ts";

const schema = z.object({
  ...describeEnvironment.shape,
  TOOL_SECRETS: workerEnvironment.shape.TOOL_SECRETS,
  TOOL_ALLOWED_HOSTS: workerEnvironment.shape.TOOL_ALLOWED_HOSTS,
});
const wired = (secrets: string, more: Readonly<Record<string, string>> = {}) =>
  wireOutside(readEnvironment(schema, { TOOL_SECRETS: secrets, TOOL_ALLOWED_HOSTS: "none", ...more }), {
    now: () => 0,
  });
const token = { tenant: "acme", name: "TOKEN" };

test("TOOL_SECRETS leads to Secrets Manager, to a file, or nowhere", async () => {
  await using stub = await awsJsonStub(({ input }) => ({
    output: { SecretString: `the value of ${input.SecretId}` },
  }));
  const there = {
    AWS_ENDPOINT_URL_SECRETS_MANAGER: stub.url,
    AWS_ACCESS_KEY_ID: "test",
    AWS_SECRET_ACCESS_KEY: "test",
    AWS_REGION: "eu-west-1",
  };
  const managed = wired("secrets-manager:planledger/", there);
  assert.equal(await managed.secrets.get(token), "the value of planledger/acme/TOKEN");
  assert.deepEqual(
    stub.calls.map(({ scope }) => scope),
    ["secretsmanager/eu-west-1"],
  );

  const directory = mkdtempSync(join(tmpdir(), "outside-"));
  try {
    const file = join(directory, "a:b.json");
    writeFileSync(file, '{"acme":{"TOKEN":"of the file"}}', { mode: 0o600 });
    assert.equal(await wired(`file:${file}`).secrets.get(token), "of the file");
  } finally {
    rmSync(directory, { recursive: true });
  }
  assert.equal(await wired("none").secrets.get(token), undefined);
});

for (const wrong of ["secrets-manager:", "secrets-manager:arn:aws:x", "file:", "TOKEN=hush"]) {
  test(`TOOL_SECRETS=${wrong} is refused by name, without its value`, () => {
    assert.throws(
      () => wired(wrong),
      (error) => error instanceof Error && /TOOL_SECRETS/.test(error.message) && !/hush/.test(error.message),
    );
  });
}
