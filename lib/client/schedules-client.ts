import type * as z from "zod/mini";
import {
  type ScheduleReply,
  scheduleListReply,
  type schedulePutRequest,
  scheduleReply,
} from "../api/schedule-requests.ts";
import { checkedName } from "./checked-name.ts";
import { type HttpTransport, path } from "./http-transport.ts";
import { pages } from "./pages.ts";
import { parsedReply } from "./parsed-reply.ts";

/** Plan schedules of the token's tenant, by name. */
export interface SchedulesClient {
  /** New or not; checked as a submission of the plan now would be. */
  save(
    name: string,
    request: z.input<typeof schedulePutRequest>,
    signal?: AbortSignal,
  ): Promise<ScheduleReply>;
  get(name: string, signal?: AbortSignal): Promise<ScheduleReply>;
  list(query?: { readonly signal?: AbortSignal }): AsyncIterable<ScheduleReply>;
  pause(name: string, signal?: AbortSignal): Promise<ScheduleReply>;
  resume(name: string, signal?: AbortSignal): Promise<ScheduleReply>;
  delete(name: string, signal?: AbortSignal): Promise<void>;
}

export function schedulesClient(transport: HttpTransport): SchedulesClient {
  const at = (name: string, ...rest: readonly string[]) =>
    path("v1", "schedules", checkedName(name), ...rest);
  const post = async (name: string, what: "pause" | "resume", signal: AbortSignal | undefined) =>
    parsedReply(
      scheduleReply,
      await transport.send({ method: "POST", path: at(name, what), repeatable: true, signal }),
      "schedule",
    );
  return {
    save: async (name, request, signal) => {
      const body = { json: request };
      const put = { method: "PUT", path: at(name), body, repeatable: true, signal } as const;
      return parsedReply(scheduleReply, await transport.send(put), "schedule");
    },
    get: async (name, signal) =>
      parsedReply(
        scheduleReply,
        await transport.send({ method: "GET", path: at(name), repeatable: true, signal }),
        "schedule",
      ),
    list: async function* ({ signal } = {}) {
      const read = async (cursor: string | undefined) => {
        const query = { cursor };
        const get = {
          method: "GET",
          path: path("v1", "schedules"),
          query,
          repeatable: true,
          signal,
        } as const;
        return parsedReply(scheduleListReply, await transport.send(get), "schedule list");
      };
      for await (const page of pages(undefined, read)) yield* page.schedules;
    },
    pause: (name, signal) => post(name, "pause", signal),
    resume: (name, signal) => post(name, "resume", signal),
    delete: async (name, signal) => {
      await transport.send({ method: "DELETE", path: at(name), repeatable: false, signal });
    },
  };
}
