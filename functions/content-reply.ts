import type { ApiReply } from "#lib/api/api-reply.ts";
import type { TenantStores } from "#lib/service/tenant-stores.ts";

/** In base64, with the rest of a reply, below what a function may give back. */
const inlineMaximumBytes = 4 * 1024 * 1024;

/** Content as a reply; what is too large for one lies in the store, and the reply says where to fetch it for a while. */
export const contentReply = async (
  { content, transfer }: Pick<TenantStores, "content" | "transfer">,
  { sha256, bytes }: { readonly sha256: string; readonly bytes: Uint8Array },
): Promise<ApiReply> => {
  if (bytes.byteLength <= inlineMaximumBytes) {
    return { status: 200, body: { kind: "bytes", bytes, contentType: "application/octet-stream" } };
  }
  // It may have come from a step; a store that has it is not written again.
  await content.put([bytes]);
  return { status: 307, headers: { location: await transfer.downloadUrl(sha256) }, body: { kind: "empty" } };
};
