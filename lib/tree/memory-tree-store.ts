import { NotFoundError } from "../errors/planledger-error.ts";
import { checkDirectory } from "./check-directory.ts";
import { decodeDirectory, encodeDirectory } from "./directory-codec.ts";
import { directoryRef } from "./directory-ref.ts";
import type { TreeStore } from "./tree-store.ts";

/** Directories in this process's memory, for tests and for runs in process. */
export const memoryTreeStore = (): TreeStore => {
  const directories = new Map<string, Uint8Array>();
  return {
    async get(sha256) {
      const bytes = directories.get(sha256);
      if (bytes === undefined) throw directoryNotFound(sha256);
      return decodeDirectory(bytes, sha256);
    },
    async put(added) {
      for (const directory of added) checkDirectory(directory);
      return added.map((directory) => {
        const ref = directoryRef(directory);
        if (!directories.has(ref.sha256)) directories.set(ref.sha256, encodeDirectory(directory));
        return ref;
      });
    },
    async missing(sha256s) {
      return sha256s.filter((sha256) => !directories.has(sha256));
    },
  };
};

/** What `TreeStore.get` throws for a directory that is not there. */
export const directoryNotFound = (sha256: string): NotFoundError =>
  new NotFoundError({ code: "not_found", message: `There is no directory ${sha256}.`, details: { sha256 } });
