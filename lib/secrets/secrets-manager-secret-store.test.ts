import assert from "node:assert/strict";
import { after, test } from "node:test";
import { SecretsManagerClient } from "@aws-sdk/client-secrets-manager";
import fc from "fast-check";
import { InfrastructureError, PlanledgerError } from "../errors/planledger-error.ts";
import { type AwsJsonStub, awsJsonStub } from "../table/aws-json-stub.testkit.ts";
import { secretId } from "./secret-id.ts";
import { secretStoreContract } from "./secret-store.contract.ts";
import { secretCacheSeconds, secretsManagerSecretStore } from "./secrets-manager-secret-store.ts";

const stubs: AwsJsonStub[] = [];
after(() => Promise.all(stubs.map((stub) => stub[Symbol.asyncDispose]())));

type Stored = { SecretString: string } | { SecretBinary: string };

/** Secrets Manager with some secrets, by id, and a store on it under a clock of the test's. */
const opened = async (secrets: Record<string, Stored>) => {
  const stub = await awsJsonStub(({ operation, input }) => {
    assert.equal(operation, "GetSecretValue");
    const id = String(input.SecretId);
    const value = Object.hasOwn(secrets, id) ? secrets[id] : undefined;
    return value === undefined ? { fault: "ResourceNotFoundException" } : { output: { Name: id, ...value } };
  });
  stubs.push(stub);
  const time = { nowEpochMs: 1_000_000 };
  const client = new SecretsManagerClient({
    endpoint: stub.url,
    region: "us-east-1",
    credentials: { accessKeyId: "test", secretAccessKey: "test" },
  });
  const clock = { now: () => time.nowEpochMs };
  return { stub, time, secrets, store: secretsManagerSecretStore({ client, prefix: "planledger/", clock }) };
};
const token = { tenant: "acme", name: "TOKEN" };

secretStoreContract("in Secrets Manager", async (secrets) => {
  const entries = Object.entries(secrets).flatMap(([tenant, own]) =>
    Object.entries(own).map(
      ([name, SecretString]) => [`planledger/${tenant}/${name}`, { SecretString }] as const,
    ),
  );
  return (await opened(Object.fromEntries(entries))).store;
});

test("one read serves 30 seconds, also for calls at once; then a rotated secret counts", async () => {
  const { stub, time, secrets, store } = await opened({ "planledger/acme/TOKEN": { SecretString: "one" } });
  assert.deepEqual(await Promise.all([store.get(token), store.get(token)]), ["one", "one"]);
  secrets["planledger/acme/TOKEN"] = { SecretString: "two" };
  time.nowEpochMs += secretCacheSeconds * 1000 - 1;
  assert.equal(await store.get(token), "one");
  assert.equal(stub.calls.length, 1);
  time.nowEpochMs += 1;
  assert.equal(await store.get(token), "two");
  assert.equal(stub.calls.length, 2);
});

test("what is absent, or failed, is asked for again at the next use", async () => {
  const { stub, secrets, store } = await opened({});
  assert.equal(await store.get(token), undefined);
  secrets["planledger/acme/TOKEN"] = { SecretString: "now there" };
  stub.script("GetSecretValue", ["AccessDeniedException"]);
  await assert.rejects(store.get(token));
  assert.equal(await store.get(token), "now there");
});

test("a throttled Secrets Manager is asked again; an outage that lasts is one of ours, not of the secret", async () => {
  const { stub, store } = await opened({ "planledger/acme/TOKEN": { SecretString: "one" } });
  stub.script("GetSecretValue", ["ThrottlingException"]);
  assert.equal(await store.get(token), "one");
  stub.script("GetSecretValue", ["InternalServiceError", "InternalServiceError", "InternalServiceError"]);
  await assert.rejects(store.get({ ...token, name: "OTHER" }), InfrastructureError);
});

for (const [fault, remedy] of [
  ["AccessDeniedException", /secretsmanager:GetSecretValue/],
  ["DecryptionFailure", /kms:Decrypt/],
  ["InvalidRequestException", /marked for deletion/],
] as const) {
  test(`a secret that is refused with ${fault} is named, with what to do`, async () => {
    const { stub, store } = await opened({});
    stub.script("GetSecretValue", [fault]);
    await assert.rejects(store.get(token), (error) => {
      assert.ok(error instanceof PlanledgerError && error.code === "secret_unavailable");
      assert.match(error.message, remedy);
      assert.doesNotMatch(error.message, /by the stub/);
      return true;
    });
  });
}

test("a secret of bytes is refused", async () => {
  const { store } = await opened({ "planledger/acme/TOKEN": { SecretBinary: "aHVzaA==" } });
  await assert.rejects(store.get(token), /holds bytes/);
});

test("neither a tenant nor a name with separators in it reaches another tenant's secret", async () => {
  const { stub, store } = await opened({ "planledger/acme/TOKEN": { SecretString: "acme's token" } });
  for (const key of [
    { tenant: "", name: "acme/TOKEN" },
    { tenant: "globex", name: "../acme/TOKEN" },
    { tenant: "globex/../acme", name: "TOKEN" },
    { tenant: "acme/TOKEN", name: "" },
    { tenant: "ACME", name: "TOKEN" },
    { tenant: "acme\0", name: "TOKEN" },
  ]) {
    assert.equal(await store.get(key), undefined);
  }
  for (const { input } of stub.calls) assert.match(String(input.SecretId), /^planledger\/[\w.=-]+\/TOKEN$/);
});

test("an id tells its tenant and name, so that no two pairs share one", () => {
  const tenants = fc.oneof(
    fc.string({ unit: "binary", minLength: 1, maxLength: 20 }),
    fc.string({ unit: fc.constantFrom("a", "/", "=", "2", "f", "ä"), minLength: 1, maxLength: 20 }),
  );
  fc.assert(
    fc.property(tenants, fc.stringMatching(/^[A-Za-z0-9_.-]{1,10}$/), (tenant, name) => {
      const id = secretId("p/", { tenant, name }) ?? "";
      assert.match(id, /^p\/[A-Za-z0-9_.=-]+\/[A-Za-z0-9_.-]+$/);
      const [, escaped = "", told] = id.split("/");
      assert.deepEqual([decodeURIComponent(escaped.replaceAll("=", "%")), told], [tenant, name]);
    }),
  );
  assert.equal(secretId("p/", { tenant: "a/b", name: "N" }), "p/a=2fb/N");
  assert.equal(secretId("p/", { tenant: "t".repeat(600), name: "N" }), undefined);
});
