import type { S3Client } from "@aws-sdk/client-s3";
import { mapBounded } from "../content/map-bounded.ts";
import { s3Objects } from "../content/s3-objects.ts";
import { checkDirectory } from "./check-directory.ts";
import { decodeDirectory, encodeDirectory } from "./directory-codec.ts";
import { directoryRef } from "./directory-ref.ts";
import { directoryNotFound } from "./memory-tree-store.ts";
import type { TreeStore } from "./tree-store.ts";

/**
 * One tenant's directories on S3, as `{tenant}/trees/{sha256}`, in the form of `directory-codec.ts`, whose reader refuses
 * damaged ones. At most `requestsAtOnce` (32) requests of a call are under way.
 */
export function s3TreeStore(options: {
  readonly client: S3Client;
  readonly bucket: string;
  readonly tenant: string;
  readonly requestsAtOnce?: number;
}): TreeStore {
  const objects = s3Objects({ ...options, kind: "trees" });
  const { requestsAtOnce = 32 } = options;
  return {
    async get(sha256) {
      const bytes = await objects.get(sha256);
      if (bytes === undefined) throw directoryNotFound(sha256);
      return decodeDirectory(bytes, sha256);
    },

    async put(directories) {
      for (const directory of directories) checkDirectory(directory);
      const refs = directories.map(directoryRef);
      const bySha256 = new Map(refs.map((ref, index) => [ref.sha256, directories[index]] as const));
      await mapBounded([...bySha256], requestsAtOnce, async ([sha256, directory]) => {
        if (directory !== undefined) await objects.put(sha256, encodeDirectory(directory));
      });
      return refs;
    },

    async missing(sha256s) {
      const asked = [...new Set(sha256s)];
      const found = await mapBounded(asked, requestsAtOnce, objects.has);
      const present = new Set(asked.filter((_, index) => found[index]));
      return sha256s.filter((sha256) => !present.has(sha256));
    },
  };
}
