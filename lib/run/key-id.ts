import { createHash, type KeyObject } from "node:crypto";

/** Names a signing key by what anybody can compute of its public part: SHA-256 (hex) of its SPKI form in DER. */
export const keyIdOf = (publicKey: KeyObject): string =>
  createHash("sha256")
    .update(publicKey.export({ type: "spki", format: "der" }))
    .digest("hex");
