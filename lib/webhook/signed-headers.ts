import { createHmac } from "node:crypto";
import { secretMinimumChars } from "../secrets/secret-store.ts";

export const secretPrefix = "whsec_";

/** A secret as its receiver configures it: 32 random bytes, given in base64url. */
export const signingSecretOf = (random: string): string =>
  secretPrefix + Buffer.from(random, "base64url").toString("base64");

/** The bytes that a secret stands for: base64 behind `whsec_`, else the text as it is. */
export const secretBytes = (text: string): Uint8Array =>
  text.startsWith(secretPrefix) ? Buffer.from(text.slice(secretPrefix.length), "base64") : Buffer.from(text);

/** Whether a secret gives a key that nobody guesses at once: one of no bytes at all would let anybody sign. */
export const isSigningSecret = (text: string): boolean => secretBytes(text).byteLength >= secretMinimumChars;

/** Why a named secret that gives no key is not used. */
export const noSigningSecret = (name: string): string =>
  `the secret ${name} cannot sign: it must have at least ${secretMinimumChars} characters, or as many bytes in base64 behind ${secretPrefix}`;

/**
 * The headers by which a receiver knows that a message is ours, after Standard Webhooks 1.0: its id, when it was sent (whole
 * seconds), and one signature for each secret, HMAC-SHA256 over id, time and body.
 */
export const signedHeaders = (
  message: { readonly id: string; readonly body: string; readonly sentAtEpochMs: number },
  secrets: readonly Uint8Array[],
): Readonly<Record<string, string>> => {
  const timestamp = String(Math.floor(message.sentAtEpochMs / 1000));
  const signed = `${message.id}.${timestamp}.${message.body}`;
  return {
    "webhook-id": message.id,
    "webhook-timestamp": timestamp,
    "webhook-signature": secrets
      .map((secret) => `v1,${createHmac("sha256", secret).update(signed).digest("base64")}`)
      .join(" "),
  };
};
