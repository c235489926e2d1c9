import assert from "node:assert/strict";
import { generateKeyPairSync, type KeyObject, sign } from "node:crypto";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import { InfrastructureError } from "#lib/errors/planledger-error.ts";
import { signerContract } from "#lib/run/signer.contract.ts";
import type { Signer } from "#lib/run/signer.ts";
import {
  type AwsJsonAnswer,
  type AwsJsonCall,
  type AwsJsonStub,
  awsJsonStub,
} from "#lib/table/aws-json-stub.testkit.ts";
import { readEnvironment, signingKeyEnvironment } from "./environment.ts";
import { wireSigner } from "./signer.ts";

const directory = mkdtempSync(join(tmpdir(), "signer-"));
const stubs: AwsJsonStub[] = [];
after(async () => {
  rmSync(directory, { recursive: true, force: true });
  await Promise.all(stubs.map((stub) => stub[Symbol.asyncDispose]()));
});

const { privateKey, publicKey } = generateKeyPairSync("ed25519");
const pemOf = (key: KeyObject): string => key.export({ type: "pkcs8", format: "pem" }).toString();
const derOf = (key: KeyObject): string => key.export({ type: "spki", format: "der" }).toString("base64");

const keyArn = "arn:aws:kms:eu-central-1:123456789012:key/11111111-2222-3333-4444-555555555555";
/** KMS with one key: it really signs, and takes plain Ed25519 of a raw message only. */
const kms =
  (keys: { readonly signing: KeyObject; readonly told: KeyObject }) =>
  ({ operation, input }: AwsJsonCall): AwsJsonAnswer => {
    if (input.KeyId !== keyArn) return { fault: "NotFoundException" };
    if (operation === "GetPublicKey") return { output: { KeyId: keyArn, PublicKey: derOf(keys.told) } };
    assert.equal(operation, "Sign");
    assert.equal(input.MessageType, "RAW");
    assert.equal(input.SigningAlgorithm, "ED25519_SHA_512");
    const message = Buffer.from(String(input.Message), "base64");
    return { output: { KeyId: keyArn, Signature: sign(null, message, keys.signing).toString("base64") } };
  };

const parameterName = "/planledger/signing-key";
const ssm =
  (parameter: { readonly Type: string; readonly Value: string }) =>
  ({ operation, input }: AwsJsonCall): AwsJsonAnswer => {
    assert.equal(operation, "GetParameter");
    assert.equal(input.WithDecryption, true);
    return input.Name === parameterName
      ? { output: { Parameter: { Name: parameterName, ...parameter } } }
      : { fault: "ParameterNotFound" };
  };

const wired = (signingKey: string, endpoint = "http://127.0.0.1:1"): Signer =>
  wireSigner(
    readEnvironment(signingKeyEnvironment, {
      SIGNING_KEY: signingKey,
      AWS_ENDPOINT_URL: endpoint,
      AWS_ACCESS_KEY_ID: "test",
      AWS_SECRET_ACCESS_KEY: "test",
    }),
  );

const stubOf = async (answer: (call: AwsJsonCall) => AwsJsonAnswer): Promise<AwsJsonStub> => {
  const stub = await awsJsonStub(answer);
  stubs.push(stub);
  return stub;
};
const kmsSigner = async (keys: { readonly signing: KeyObject; readonly told: KeyObject }) => {
  const stub = await stubOf(kms(keys));
  return { stub, signer: wired(`kms:${keyArn}`, stub.url) };
};
const parameterSigner = async (parameter: { readonly Type: string; readonly Value: string }) => {
  const stub = await stubOf(ssm(parameter));
  return { stub, signer: wired(`parameter:${parameterName}`, stub.url) };
};
const sound = { signing: privateKey, told: publicKey };

signerContract(
  "a file",
  async (key) => {
    const path = join(directory, "key.pem");
    writeFileSync(path, pemOf(key), { mode: 0o600 });
    return wired(`file:${path}`);
  },
  privateKey,
);
signerContract("KMS", async (key) => (await kmsSigner({ ...sound, signing: key })).signer, privateKey);
signerContract(
  "an SSM parameter",
  async (key) => (await parameterSigner({ Type: "SecureString", Value: pemOf(key) })).signer,
  privateKey,
);

const refused =
  (code: string, message: RegExp) =>
  (error: unknown): boolean => {
    assert.ok(error instanceof InfrastructureError);
    assert.equal(error.code, code);
    assert.match(error.message, message);
    assert.doesNotMatch(error.message, /123456789012|PRIVATE KEY|by the stub/);
    return true;
  };

test("KMS is called in the key's own region; its public key is fetched once for many signatures", async () => {
  const { stub, signer } = await kmsSigner(sound);
  await Promise.all([signer.publicKey(), signer.sign(Buffer.from("a")), signer.sign(Buffer.from("b"))]);
  await signer.sign(Buffer.from("c"));
  assert.deepEqual(stub.calls.map(({ operation }) => operation).sort(), [
    "GetPublicKey",
    "Sign",
    "Sign",
    "Sign",
  ]);
  assert.deepEqual(new Set(stub.calls.map(({ scope }) => scope)), new Set(["kms/eu-central-1"]));
});

test("a throttled KMS is asked again", async () => {
  const { stub, signer } = await kmsSigner(sound);
  stub.script("GetPublicKey", ["ThrottlingException"]);
  stub.script("Sign", ["ThrottlingException", "KMSInternalException"]);
  assert.equal((await signer.sign(Buffer.from("a"))).algorithm, "Ed25519");
  assert.equal(stub.calls.length, 5);
});

for (const operation of ["GetPublicKey", "Sign"]) {
  test(`a refused ${operation} of KMS is named, says what to grant, and is tried again once it was granted`, async () => {
    const { stub, signer } = await kmsSigner(sound);
    stub.script(operation, ["AccessDeniedException"]);
    await assert.rejects(
      signer.sign(Buffer.from("a")),
      refused("signing_refused", /AccessDeniedException.*kms:Sign and kms:GetPublicKey/),
    );
    assert.equal((await signer.sign(Buffer.from("a"))).algorithm, "Ed25519");
  });
}

test("a KMS key that is disabled, and one that is not Ed25519, are named as such", async () => {
  const { stub, signer } = await kmsSigner(sound);
  stub.script("Sign", ["DisabledException"]);
  await assert.rejects(
    signer.sign(Buffer.from("a")),
    refused("signing_refused", /DisabledException.*enabled/),
  );
  const other = generateKeyPairSync("ec", { namedCurve: "P-256" }).publicKey;
  const wrong = await kmsSigner({ ...sound, told: other });
  await assert.rejects(
    wrong.signer.publicKey(),
    refused("signing_refused", /type ec.*ECC_NIST_EDWARDS25519/),
  );
});

test("a signature that is not by the key that KMS told is not handed out", async () => {
  const { signer } = await kmsSigner({ ...sound, signing: generateKeyPairSync("ed25519").privateKey });
  await assert.rejects(signer.sign(Buffer.from("a")), refused("unavailable", /not one by its key/));
});

test("a parameter is read once; throttled, it is asked for again", async () => {
  const { stub, signer } = await parameterSigner({ Type: "SecureString", Value: pemOf(privateKey) });
  stub.script("GetParameter", ["ThrottlingException"]);
  await signer.sign(Buffer.from("a"));
  await signer.sign(Buffer.from("b"));
  assert.equal(stub.calls.length, 2);
});

test("a parameter that is missing, in the clear, or no key is named, and what it holds is not shown", async () => {
  const missing = await stubOf(ssm({ Type: "SecureString", Value: "" }));
  await assert.rejects(
    wired("parameter:/another", missing.url).publicKey(),
    refused("signing_refused", /ParameterNotFound.*ssm:GetParameter/),
  );
  const clear = await parameterSigner({ Type: "String", Value: pemOf(privateKey) });
  await assert.rejects(clear.signer.publicKey(), refused("signing_refused", /SecureString/));
  const rsa = generateKeyPairSync("rsa", { modulusLength: 2048 }).privateKey;
  for (const value of ["hush-hush", pemOf(rsa)]) {
    const { signer } = await parameterSigner({ Type: "SecureString", Value: value });
    await assert.rejects(signer.publicKey(), (error) => {
      assert.ok(error instanceof InfrastructureError && error.cause === undefined);
      assert.doesNotMatch(error.message, /hush/);
      return refused("signing_refused", /no Ed25519 private key/)(error);
    });
  }
});

for (const wrong of [
  "kms:alias/ledger",
  "kms:",
  "parameter:",
  "arn:aws:kms:eu-central-1:123456789012:key/1",
]) {
  test(`SIGNING_KEY=${wrong} is refused by name`, () => {
    assert.throws(() => wired(wrong), /SIGNING_KEY/);
  });
}
