import { InfrastructureError, PlanledgerError } from "../errors/planledger-error.ts";
import type { AllowedHosts } from "../outbound/allowed-hosts.ts";
import type { GuardedClient } from "../outbound/guarded-client.ts";
import { OutboundError } from "../outbound/outbound-error.ts";
import { replyTooLarge } from "../outbound/outbound-fetch.ts";
import { readLimited } from "../outbound/read-limited.ts";
import { requireSecure } from "../outbound/require-secure.ts";

export type CatalogueReply =
  | { readonly status: "unchanged" }
  | { readonly status: "found"; readonly bytes: Uint8Array; readonly etag: string | undefined };

/** Reads what a catalogue consists of: GET alone, over HTTPS, bounded in size and time, no redirects. */
export interface CatalogueAccess {
  /**
   * `unchanged` only where `etag` is given and still is the server's. What the other side refuses is a `PlanledgerError`
   * (`external_failed`, `redirect_refused`, `output_too_large`, `address_refused`), what may be different later an
   * `InfrastructureError`.
   */
  get(
    url: URL,
    how: { readonly limitBytes: number; readonly etag?: string | undefined },
  ): Promise<CatalogueReply>;
}

const timeLimitMs = 60_000;
const etagPattern = /^(?:W\/)?"[\x21\x23-\x7e]{0,500}"$/;

export function catalogueAccess(options: {
  readonly client: GuardedClient;
  readonly allowedHosts: AllowedHosts;
  /** The token goes to the server of the catalogue itself, and to no other. */
  readonly catalogue: URL;
  readonly token: string | undefined;
  readonly signal: AbortSignal;
  readonly onRequest: () => void;
}): CatalogueAccess {
  const { client, catalogue, token, signal } = options;

  const send = async (url: URL, etag: string | undefined, limit: AbortSignal) => {
    options.onRequest();
    try {
      return await client.request({
        url,
        method: "GET",
        headers: {
          accept: "application/json, */*;q=0.5",
          "accept-encoding": "identity",
          ...(token === undefined || url.origin !== catalogue.origin
            ? {}
            : { authorization: `Bearer ${token}` }),
          ...(etag === undefined ? {} : { "if-none-match": etag }),
        },
        signal: limit,
      });
    } catch (error) {
      throw unreachable(error, { url, signal });
    }
  };

  return {
    async get(url, { limitBytes, etag }) {
      requireSecure(url, options.allowedHosts);
      const limit = AbortSignal.any([signal, AbortSignal.timeout(timeLimitMs)]);
      const { status, headers, body } = await send(url, etag, limit);
      if (status === 304 && etag !== undefined) return { status: "unchanged" };
      if (status !== 200) throw refusal(url, { status, location: headers.location });
      try {
        const { bytes, more } = await readLimited(body, limitBytes);
        if (more) throw replyTooLarge(limitBytes);
        const given = headers.etag;
        return {
          status: "found",
          bytes,
          etag: given !== undefined && etagPattern.test(given) ? given : undefined,
        };
      } catch (error) {
        throw unreachable(error, { url, signal });
      }
    },
  };
}

const refusal = (
  url: URL,
  { status, location }: { readonly status: number; readonly location: string | undefined },
): PlanledgerError => {
  if (status >= 300 && status < 400 && status !== 304) {
    return new PlanledgerError({
      code: "redirect_refused",
      message: `${shown(url)} answered ${status} with a redirect${location === undefined ? "" : ` to ${location.slice(0, 200)}`}, and none is followed. Name the address itself.`,
      details: { status },
    });
  }
  const message = `${shown(url)} answered ${status}.`;
  return status >= 500 || status === 429 || status === 408
    ? new InfrastructureError({ code: "external_failed", message, details: { status } })
    : new PlanledgerError({ code: "external_failed", message, details: { status } });
};

/** Our own errors, and the end of the run, as they are. */
const unreachable = (
  error: unknown,
  { url, signal }: { readonly url: URL; readonly signal: AbortSignal },
): unknown => {
  if (signal.aborted) return signal.reason;
  if (error instanceof OutboundError && error.code !== "external_failed") return error;
  const reason = error instanceof Error ? error.message : "no reply";
  return new InfrastructureError({
    code: "external_failed",
    message: `${shown(url)} could not be read: ${reason.replace(/\.$/, "")}.`,
    cause: error,
  });
};

const shown = (url: URL): string => `${url.origin}${url.pathname}`.slice(0, 300);
