import type { GuardedClient } from "./guarded-client.ts";
import { OutboundError } from "./outbound-error.ts";

/**
 * `fetch` on a guarded client, as far as the client library uses it: texts as bodies, redirects given back as they are, every
 * reply bounded (`limitBytes`, beyond which its body is broken off with an `OutboundError`). Whatever aborts `signal` ends it.
 */
export const outboundFetch =
  (options: {
    readonly client: GuardedClient;
    readonly limitBytes: number;
    readonly signal: AbortSignal;
  }): typeof globalThis.fetch =>
  async (input, init = {}) => {
    const { method = "GET", body } = init;
    if ((method !== "GET" && method !== "POST") || (body != null && typeof body !== "string")) {
      throw new TypeError("only GET, and POST of a text, can be sent to the outside here");
    }
    const signals = init.signal == null ? [options.signal] : [options.signal, init.signal];
    const reply = await options.client.request({
      url: new URL(input instanceof Request ? input.url : input),
      method,
      headers: Object.fromEntries(new Headers(init.headers)),
      ...(body == null ? {} : { body }),
      signal: AbortSignal.any(signals),
    });
    const hasBody = reply.status !== 204 && reply.status !== 205 && reply.status !== 304;
    return new Response(hasBody ? ReadableStream.from(limited(reply.body, options.limitBytes)) : null, {
      status: reply.status,
      headers: Object.entries(reply.headers).flatMap(([name, values]) =>
        [values ?? []].flat().map((value): [string, string] => [name, value]),
      ),
    });
  };

async function* limited(body: AsyncIterable<Uint8Array>, limitBytes: number) {
  let sizeBytes = 0;
  for await (const chunk of body) {
    sizeBytes += chunk.byteLength;
    if (sizeBytes > limitBytes) throw replyTooLarge(limitBytes);
    yield chunk;
  }
}

export const replyTooLarge = (limitBytes: number): OutboundError =>
  new OutboundError({
    code: "output_too_large",
    message: `The reply has more than ${limitBytes} bytes, and was broken off.`,
    details: { limitBytes },
  });
