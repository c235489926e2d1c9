import type { ContentStore } from "../content/content-store.ts";
import { InfrastructureError } from "../errors/planledger-error.ts";

/** Content by hash: a content store, or a run's steps before one. */
export type ContentLookup = Pick<ContentStore, "get">;

/** Content that must be there: its absence is a fault of the store (`content_missing`), never the outcome of a call. */
export const storedContent = async (content: ContentLookup, sha256: string): Promise<Uint8Array> => {
  const bytes = await content.get(sha256);
  if (bytes !== undefined) return bytes;
  throw new InfrastructureError({
    code: "content_missing",
    message: `The content ${sha256} of the workspace is not in the store.`,
  });
};
