import type { Caller } from "#lib/access/caller.ts";
import { type PlanledgerClient, planledgerClient } from "#lib/client/planledger-client.ts";
import { type MemoryAnswer, owner } from "./in-memory-service.testkit.ts";

interface Sent {
  readonly method: string;
  readonly path: string;
  readonly bodyBytes: number;
  readonly replyBytes: number;
}

/** Sends to handlers in this process what the public client sends; `sent` is what went over the wire that is not there. */
export function inMemoryClient(
  send: (
    target: string,
    request: { method: string; caller: Caller; body?: unknown },
  ) => Promise<MemoryAnswer>,
  options: { readonly caller?: Caller } = {},
): { readonly client: PlanledgerClient; readonly sent: Sent[] } {
  const { caller = owner } = options;
  const sent: Sent[] = [];
  const client = planledgerClient({
    url: "http://in-memory.invalid",
    token: "plt_test_secret",
    random: () => 0,
    delay: async () => undefined,
    async fetch(input, init) {
      const url = new URL(String(input));
      const method = init?.method ?? "GET";
      const text = typeof init?.body === "string" ? init.body : undefined;
      const answer = await send(`${url.pathname}${url.search}`, {
        method,
        caller,
        ...(text === undefined ? {} : { body: JSON.parse(text) }),
      });
      const { byteLength: replyBytes } = answer.bytes;
      sent.push({ method, path: url.pathname, bodyBytes: Buffer.byteLength(text ?? ""), replyBytes });
      const empty = answer.status === 204;
      return new Response(empty ? null : new Uint8Array(answer.bytes), {
        status: answer.status,
        headers: answer.headers,
      });
    },
  });
  return { client, sent };
}
