import type * as z from "zod/mini";
import {
  type SourceReply,
  type SourceRunReply,
  sourceListReply,
  type sourcePutRequest,
  sourceReply,
  sourceRunsReply,
} from "../api/source-requests.ts";
import { checkedName } from "./checked-name.ts";
import { type HttpTransport, path } from "./http-transport.ts";
import { pages } from "./pages.ts";
import { parsedReply } from "./parsed-reply.ts";

/** Sync sources of the token's tenant, by name. */
export interface SourcesClient {
  /** New or not; it runs at once. */
  save(name: string, request: z.input<typeof sourcePutRequest>, signal?: AbortSignal): Promise<SourceReply>;
  get(name: string, signal?: AbortSignal): Promise<SourceReply>;
  list(query?: { readonly signal?: AbortSignal }): AsyncIterable<SourceReply>;
  /** The last runs, the newest first. */
  runs(name: string, signal?: AbortSignal): Promise<readonly SourceRunReply[]>;
  /** A run now; a `ConflictError` (`sync_running`) while one is under way. */
  run(name: string, signal?: AbortSignal): Promise<SourceReply>;
  pause(name: string, signal?: AbortSignal): Promise<SourceReply>;
  resume(name: string, signal?: AbortSignal): Promise<SourceReply>;
  delete(name: string, signal?: AbortSignal): Promise<void>;
}

export function sourcesClient(transport: HttpTransport): SourcesClient {
  const at = (name: string, ...rest: readonly string[]) =>
    path("v1", "sync", "sources", checkedName(name), ...rest);
  const post = async (name: string, what: "run" | "pause" | "resume", signal: AbortSignal | undefined) =>
    parsedReply(
      sourceReply,
      await transport.send({ method: "POST", path: at(name, what), repeatable: what !== "run", signal }),
      "sync source",
    );
  return {
    save: async (name, request, signal) => {
      const body = { json: request };
      const put = { method: "PUT", path: at(name), body, repeatable: true, signal } as const;
      return parsedReply(sourceReply, await transport.send(put), "sync source");
    },
    get: async (name, signal) =>
      parsedReply(
        sourceReply,
        await transport.send({ method: "GET", path: at(name), repeatable: true, signal }),
        "sync source",
      ),
    list: async function* ({ signal } = {}) {
      const read = async (cursor: string | undefined) => {
        const listing = path("v1", "sync", "sources");
        const get = { method: "GET", path: listing, query: { cursor }, repeatable: true, signal } as const;
        return parsedReply(sourceListReply, await transport.send(get), "sync source list");
      };
      for await (const page of pages(undefined, read)) yield* page.sources;
    },
    runs: async (name, signal) => {
      const get = { method: "GET", path: at(name, "runs"), repeatable: true, signal } as const;
      return parsedReply(sourceRunsReply, await transport.send(get), "runs").runs;
    },
    run: (name, signal) => post(name, "run", signal),
    pause: (name, signal) => post(name, "pause", signal),
    resume: (name, signal) => post(name, "resume", signal),
    delete: async (name, signal) => {
      await transport.send({ method: "DELETE", path: at(name), repeatable: false, signal });
    },
  };
}
