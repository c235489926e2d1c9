import { createHash } from "node:crypto";

/** SHA-256 in lower-case hex. A string is hashed as UTF-8 and must be well-formed (see `canonicalJson`). */
export const sha256Hex = (bytes: Uint8Array | string): string =>
  createHash("sha256").update(bytes).digest("hex");
