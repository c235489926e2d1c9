import {
  type SyncListReply,
  type SyncReply,
  type SyncRequest,
  syncListReply,
  syncReply,
} from "../api/sync-requests.ts";
import type { ResourceKind } from "../resource/resource-store.ts";
import { type HttpTransport, path } from "./http-transport.ts";
import { parsedReply } from "./parsed-reply.ts";

/** The sync routes, as they are. `httpSyncTransport` (lib/sync) is what a sync runs on. */
export interface SyncClient {
  /** One page of the latest revisions of these kinds, tombstones included, without documents. */
  list(query: {
    readonly kinds: readonly ResourceKind[];
    readonly cursor?: string | undefined;
    readonly signal?: AbortSignal;
  }): Promise<SyncListReply>;
  /** Reads and conditional writes, a result for each in their order; sending it again does no harm. */
  batch(request: SyncRequest, signal?: AbortSignal): Promise<SyncReply>;
}

export function syncClient(transport: HttpTransport): SyncClient {
  const syncPath = path("v1", "sync");
  return {
    list: async ({ kinds, cursor, signal }) => {
      const query = { kinds: kinds.join(","), cursor };
      const request = { method: "GET", path: syncPath, query, repeatable: true, signal } as const;
      return parsedReply(syncListReply, await transport.send(request), "sync listing");
    },
    batch: async (request, signal) => {
      const body = { json: request };
      // What a first sending wrote is answered as unchanged.
      const post = { method: "POST", path: syncPath, body, repeatable: true, signal } as const;
      return parsedReply(syncReply, await transport.send(post), "sync batch");
    },
  };
}
