import type { HttpTransport } from "./http-transport.ts";

/** The pages of a diff, following `Link: <…>; rel="next"`. Of a link only path and query count, never another host. */
export async function* diffPages(
  transport: HttpTransport,
  request: {
    readonly path: string;
    readonly query: Readonly<Record<string, string | number | undefined>>;
    readonly signal?: AbortSignal | undefined;
  },
): AsyncGenerator<Uint8Array, void, undefined> {
  let query = request.query;
  const seen = new Set<string>();
  for (;;) {
    const reply = await transport.send({
      method: "GET",
      path: request.path,
      query,
      headers: { accept: "text/x-diff, application/problem+json" },
      repeatable: true,
      signal: request.signal,
    });
    if (reply.bytes.length > 0) yield reply.bytes;
    const next = nextLink(reply.headers.get("link"));
    if (next === undefined || seen.has(next)) return;
    seen.add(next);
    query = Object.fromEntries(new URLSearchParams(next));
  }
}

/** The query of the link with `rel="next"`. */
function nextLink(header: string | null): string | undefined {
  for (const link of header?.split(/,\s*(?=<)/) ?? []) {
    const found = /^\s*<([^>]*)>\s*;(.*)$/.exec(link);
    if (found?.[1] !== undefined && /(^|;)\s*rel="?next"?\s*(;|$)/i.test(found[2] ?? "")) {
      return new URL(found[1], "http://relative.invalid/").search;
    }
  }
  return undefined;
}
