import type { Agent } from "undici";
import { redirectRefused, responseTooLarge } from "./external-failure.ts";

type GuardedFetch = (url: string | URL, init?: RequestInit) => Promise<Response>;

/**
 * What the MCP client takes for `fetch`, on a guarded agent: no redirects, and one limit for all that a session answers. What
 * ends the session for good is also told to `fatal`, since a client that reads a stream would wait on for its answer.
 */
export const guardedFetch = (options: {
  readonly agent: Agent;
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
    const { statusCode, headers, body } = await options.agent.request({
      origin: target.origin,
      path: target.pathname + target.search,
      method: init.method === "POST" || init.method === "DELETE" ? init.method : "GET",
      headers: Object.fromEntries(new Headers(init.headers)),
      body: typeof init.body === "string" ? init.body : null,
      signal: init.signal ?? null,
    });
    if (statusCode >= 300 && statusCode < 400) {
      body.destroy();
      const refused = redirectRefused(statusCode, headers.location);
      options.fatal(refused);
      throw refused;
    }
    const hasBody = statusCode !== 204 && statusCode !== 205;
    if (!hasBody) body.destroy();
    return new Response(hasBody ? limited(body, init.signal) : null, {
      status: statusCode,
      headers: Object.entries(headers).flatMap(([name, values]) =>
        [values ?? []].flat().map((value): [string, string] => [name, value]),
      ),
    });
  };
};
