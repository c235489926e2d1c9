import type { GuardedClient } from "../../outbound/guarded-client.ts";
import { redirectRefused, responseTooLarge } from "./external-failure.ts";

type GuardedFetch = (url: string | URL, init?: RequestInit) => Promise<Response>;

/**
 * What the MCP client takes for `fetch`, on a guarded client: no redirects, and one limit for all that a session answers. What
 * ends the session for good is also told to `fatal`, since a client that reads a stream would wait on for its answer.
 */
export const guardedFetch = (options: {
  readonly client: GuardedClient;
  readonly limitBytes: number;
  readonly fatal: (error: unknown) => void;
}): GuardedFetch => {
  let leftBytes = options.limitBytes;

  async function* limited(body: AsyncIterable<Uint8Array>, signal: AbortSignal | null | undefined) {
    try {
      for await (const chunk of body) {
        leftBytes -= chunk.byteLength;
        if (leftBytes < 0) throw responseTooLarge(options.limitBytes);
        yield chunk;
      }
    } catch (error) {
      if (signal?.aborted !== true) options.fatal(error);
      throw error;
    }
  }

  return async (url, init = {}) => {
    const target = new URL(url);
    const { status, headers, body } = await options.client.request({
      url: target,
      method: init.method === "POST" || init.method === "DELETE" ? init.method : "GET",
      headers: Object.fromEntries(new Headers(init.headers)),
      ...(typeof init.body === "string" ? { body: init.body } : {}),
      signal: init.signal ?? new AbortController().signal,
    });
    if (status >= 300 && status < 400) {
      const refused = redirectRefused(status, headers.location);
      options.fatal(refused);
      throw refused;
    }
    const hasBody = status !== 204 && status !== 205;
    return new Response(hasBody ? limited(body, init.signal) : null, {
      status,
      headers: Object.entries(headers).flatMap(([name, values]) =>
        [values ?? []].flat().map((value): [string, string] => [name, value]),
      ),
    });
  };
};
