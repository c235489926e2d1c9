import assert from "node:assert/strict";
import type { KeyObject } from "node:crypto";
import { createPublicKey, verify } from "node:crypto";
import { test } from "node:test";
import { keyIdOf } from "./key-id.ts";
import { sealStatementBytes } from "./seal-statement.ts";
import { signatureVerifier } from "./signature-verifier.ts";
import type { Signer } from "./signer.ts";

/** The behaviour of every `Signer`. `open` gives one that signs with an Ed25519 private key. */
export function signerContract(
  name: string,
  open: (privateKey: KeyObject) => Promise<Signer>,
  privateKey: KeyObject,
): void {
  const publicKey = createPublicKey(privateKey);
  const statement = { planId: "plan-1", run: 1, digest: "d".repeat(64), seq: 3, ledgerHead: "e".repeat(64) };

  test(`${name}: signatures are Ed25519 over the bytes themselves, and name the key by its fingerprint`, async () => {
    const signer = await open(privateKey);
    const bytes = sealStatementBytes(statement);
    const signature = await signer.sign(bytes);
    assert.equal(signature.algorithm, "Ed25519");
    assert.equal(signature.keyId, keyIdOf(publicKey));
    assert.ok(verify(null, bytes, publicKey, Buffer.from(signature.value, "base64")));
    const { verifySignature } = signatureVerifier(await signer.publicKey());
    assert.equal(verifySignature(bytes, signature), "valid");
    assert.equal(verifySignature(sealStatementBytes({ ...statement, seq: 4 }), signature), "invalid");
  });

  test(`${name}: the public key is told as PEM, and the same bytes are signed alike each time`, async () => {
    const signer = await open(privateKey);
    assert.equal(await signer.publicKey(), publicKey.export({ type: "spki", format: "pem" }).toString());
    const bytes = Buffer.from("any bytes \0\xff", "latin1");
    const signatures = await Promise.all([signer.sign(bytes), signer.sign(bytes), signer.sign(bytes)]);
    assert.equal(new Set(signatures.map(({ value }) => value)).size, 1);
    assert.notEqual((await signer.sign(Buffer.alloc(0))).value, signatures[0].value);
  });
}
