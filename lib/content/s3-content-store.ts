import type { S3Client } from "@aws-sdk/client-s3";
import { InfrastructureError } from "../errors/planledger-error.ts";
import { contentSha256 } from "./content-state.ts";
import type { ContentStore } from "./content-store.ts";
import { mapBounded } from "./map-bounded.ts";
import { s3Objects } from "./s3-objects.ts";

/**
 * One tenant's content on S3, as `{tenant}/content/{sha256}`. Bytes that do not hash to their address are never given out:
 * that is an `InfrastructureError` (`content_mismatch`). A put does not ask first whether small content is there, since
 * most is not and the same bytes may be written again. At most `requestsAtOnce` (32) requests of a call are under way.
 */
export function s3ContentStore(options: {
  readonly client: S3Client;
  readonly bucket: string;
  readonly tenant: string;
  readonly requestsAtOnce?: number;
}): ContentStore {
  const objects = s3Objects({ ...options, kind: "content" });
  const { requestsAtOnce = 32 } = options;
  return {
    async get(sha256) {
      const bytes = await objects.get(sha256);
      if (bytes === undefined || contentSha256(bytes) === sha256) return bytes;
      throw new InfrastructureError({
        code: "content_mismatch",
        message: `The stored content ${sha256} is damaged: its ${bytes.byteLength} bytes hash to ${contentSha256(bytes)}.`,
      });
    },

    async put(contents) {
      const addressed = contents.map((bytes) => [contentSha256(bytes), bytes] as const);
      await mapBounded([...new Map(addressed)], requestsAtOnce, ([sha256, bytes]) =>
        objects.put(sha256, bytes),
      );
      return addressed.map(([sha256]) => sha256);
    },

    async missing(sha256s) {
      const asked = [...new Set(sha256s)];
      const found = await mapBounded(asked, requestsAtOnce, objects.has);
      const present = new Set(asked.filter((_, index) => found[index]));
      return sha256s.filter((sha256) => !present.has(sha256));
    },
  };
}
