import assert from "node:assert/strict";
import { test } from "node:test";
import { SSMClient } from "@aws-sdk/client-ssm";
import { awsJsonStub } from "#lib/table/aws-json-stub.testkit.ts";
import { ensureSigningParameter } from "./ensure-signing-parameter.ts";

test("the signing parameter is made once as a SecureString; a second deploy keeps the key", async () => {
  let standing: Readonly<Record<string, unknown>> | undefined;
  await using stub = await awsJsonStub(({ operation, input }) => {
    if (operation === "GetParameter") {
      return standing === undefined ? { fault: "ParameterNotFound" } : { output: { Parameter: standing } };
    }
    if (standing !== undefined && input.Overwrite !== true) return { fault: "ParameterAlreadyExists" };
    standing = input;
    return { output: { Version: 1 } };
  });
  const client = new SSMClient({
    endpoint: stub.url,
    region: "us-east-1",
    credentials: { accessKeyId: "test", secretAccessKey: "test" },
  });
  const first = await ensureSigningParameter({ client, name: "/planledger/key" });
  assert.equal(first.created, true);
  assert.equal(standing?.Type, "SecureString");
  assert.match(first.publicKeyPem, /BEGIN PUBLIC KEY/);
  const second = await ensureSigningParameter({ client, name: "/planledger/key" });
  assert.deepEqual(second, { created: false, publicKeyPem: first.publicKeyPem });
});
