import { ValidationError } from "../errors/planledger-error.ts";
import { contentSha256 } from "./content-state.ts";
import type { ContentStore } from "./content-store.ts";
import type { ContentTransfer } from "./content-transfer.ts";

/** Transfers in this process's memory, for tests: `stage` stands for the PUT. */
export const memoryContentTransfer = (
  content: ContentStore,
): ContentTransfer & { stage(sha256: string, bytes: Uint8Array): void } => {
  const staged = new Map<string, Uint8Array>();
  return {
    stage(sha256, bytes) {
      staged.set(sha256, bytes);
    },
    async uploadTarget({ sha256 }) {
      return { url: `http://staged.invalid/${sha256}`, headers: {}, expiresAtEpochMs: 0 };
    },
    async admit(sha256) {
      const bytes = staged.get(sha256);
      if (bytes === undefined) return false;
      if (contentSha256(bytes) !== sha256) {
        throw new ValidationError({
          code: "content_mismatch",
          field: "sha256",
          message: `What was uploaded as ${sha256} hashes to ${contentSha256(bytes)}. Upload the right bytes.`,
        });
      }
      await content.put([bytes]);
      return true;
    },
    async downloadUrl(sha256) {
      return `http://content.invalid/${sha256}`;
    },
  };
};
