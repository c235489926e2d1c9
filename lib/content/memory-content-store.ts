import { contentSha256 } from "./content-state.ts";
import type { ContentStore } from "./content-store.ts";

/** Content in this process's memory, for tests and for runs in process. Bytes are copied in and out. */
export const memoryContentStore = (): ContentStore => {
  const contents = new Map<string, Uint8Array>();
  return {
    async get(sha256) {
      return contents.get(sha256)?.slice();
    },
    async put(added) {
      return added.map((bytes) => {
        const sha256 = contentSha256(bytes);
        if (!contents.has(sha256)) contents.set(sha256, Uint8Array.from(bytes));
        return sha256;
      });
    },
    async missing(sha256s) {
      return sha256s.filter((sha256) => !contents.has(sha256));
    },
  };
};
