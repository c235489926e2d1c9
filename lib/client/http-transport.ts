import { InfrastructureError, NotFoundError, type PlanledgerError } from "../errors/planledger-error.ts";
import type { ClientAddress, ClientPorts } from "./client-options.ts";
import { problemError } from "./problem-error.ts";
import { maximumAttempts, retryAfterMs, retryDelayMs } from "./retry.ts";

export interface HttpRequest {
  readonly method: "GET" | "POST" | "PUT" | "DELETE";
  /** Below the service's base, segments already encoded (`path`), or an absolute URL for `absolute`. */
  readonly path: string;
  readonly query?: Readonly<Record<string, string | number | undefined>>;
  readonly headers?: Readonly<Record<string, string>>;
  /** A JSON value, or bytes as they are. */
  readonly body?: { readonly json: unknown } | { readonly bytes: Uint8Array<ArrayBuffer> };
  /** Sending it twice does what sending it once does; only such a request is sent again after an unclear outcome. */
  readonly repeatable: boolean;
  /** Follows one 307 to where large content lies, without the token. */
  readonly redirects?: boolean;
  readonly signal?: AbortSignal | undefined;
}

export interface HttpReply {
  readonly status: number;
  readonly headers: Headers;
  readonly bytes: Uint8Array;
}

/**
 * Requests to one service with its bearer token. Answers replies of 2xx; any other, a redirect included, becomes the named error of its problem
 * document, and no reply at all an `InfrastructureError`, both after the retries of `retry.ts`. An abort rejects with the
 * signal's reason at once. It knows no route.
 */
export interface HttpTransport {
  send(request: HttpRequest): Promise<HttpReply>;
  /** PUT of bytes to a presigned URL elsewhere: the bearer token does not go along. */
  sendElsewhere(request: HttpRequest): Promise<HttpReply>;
}

const attemptTimeoutMs = 60_000;
const neverConnected = new Set(["ECONNREFUSED", "ENOTFOUND", "EAI_AGAIN", "UND_ERR_CONNECT_TIMEOUT"]);

export function httpTransport(options: {
  readonly address: ClientAddress;
  readonly ports: ClientPorts;
}): HttpTransport {
  const { address, ports } = options;

  async function attempt(url: string, request: HttpRequest, authorized: boolean): Promise<Attempted> {
    const timeout = AbortSignal.timeout(attemptTimeoutMs);
    const signal = request.signal === undefined ? timeout : AbortSignal.any([timeout, request.signal]);
    try {
      const response = await ports.fetch(url, {
        method: request.method,
        headers: {
          ...(authorized ? { authorization: `Bearer ${address.token}` } : {}),
          ...(request.body !== undefined && "json" in request.body
            ? { "content-type": "application/json" }
            : {}),
          ...request.headers,
        },
        ...(request.body === undefined
          ? {}
          : { body: "json" in request.body ? JSON.stringify(request.body.json) : request.body.bytes }),
        redirect: "manual",
        signal,
      });
      const bytes = new Uint8Array(await response.arrayBuffer());
      return { kind: "reply", reply: { status: response.status, headers: response.headers, bytes } };
    } catch (fault) {
      request.signal?.throwIfAborted();
      return { kind: "connection_error", fault, sent: !neverConnected.has(systemCode(fault) ?? "") };
    }
  }

  async function sendTo(url: string, request: HttpRequest, authorized: boolean): Promise<HttpReply> {
    for (let number = 1; ; number += 1) {
      request.signal?.throwIfAborted();
      const attempted = await attempt(url, request, authorized);
      if (attempted.kind === "reply") {
        const { status, headers } = attempted.reply;
        if (status >= 200 && status < 300) return attempted.reply;
        if (status === 307 && request.redirects === true) {
          const { redirects: _, ...rest } = request;
          return sendTo(new URL(headers.get("location") ?? "", url).href, rest, false);
        }
      }
      const outcome =
        attempted.kind === "reply"
          ? {
              kind: "reply" as const,
              status: attempted.reply.status,
              retryAfterMs: retryAfterMs(attempted.reply.headers),
            }
          : { kind: "connection_error" as const, sent: attempted.sent };
      const delayMs = retryDelayMs(outcome, {
        attempt: number,
        repeatable: request.repeatable,
        random: ports.random(),
      });
      if (delayMs === undefined) throw failureOf(attempted, { url, address });
      ports.waiting({
        ...(outcome.kind === "reply" ? { status: outcome.status } : {}),
        ...{ delayMs, nextAttempt: number + 1, maximumAttempts },
      });
      await ports.delay(delayMs, request.signal);
    }
  }

  return {
    send: (request) =>
      sendTo(`${address.url}${request.path}${queryString(request.query ?? {})}`, request, true),
    sendElsewhere: (request) => sendTo(request.path, request, false),
  };
}

type Attempted =
  | { readonly kind: "reply"; readonly reply: HttpReply }
  | { readonly kind: "connection_error"; readonly fault: unknown; readonly sent: boolean };

function failureOf(
  attempted: Attempted,
  { url, address }: { readonly url: string; readonly address: ClientAddress },
): PlanledgerError {
  if (attempted.kind === "reply") {
    const body = new TextDecoder().decode(attempted.reply.bytes);
    const error = problemError({ status: attempted.reply.status, body });
    const { origin, pathname } = new URL(address.url);
    if (pathname === "/" || error.details.reason !== "no_such_route") return error;
    return new NotFoundError({
      code: "not_found",
      message: `There is no such route below ${address.url}. The service's URL has the path ${pathname}; is it ${origin} alone?`,
      details: error.details,
      cause: error,
    });
  }
  const code = systemCode(attempted.fault);
  const reason = code ?? (attempted.fault instanceof Error ? attempted.fault.message : "no reply");
  const advice = code === "ECONNREFUSED" ? "; nothing listens there: is the service running?" : "";
  return new InfrastructureError({
    message: `cannot reach ${new URL(url).origin} (${reason})${advice}`,
    cause: attempted.fault,
  });
}

/** `fetch` throws a TypeError whose cause carries the system's code. */
function systemCode(fault: unknown): string | undefined {
  for (let at = fault, depth = 0; at instanceof Error && depth < 4; at = at.cause, depth += 1) {
    if ("code" in at && typeof at.code === "string") return at.code;
    if (at instanceof AggregateError && at.errors[0] instanceof Error) {
      const inner: unknown = at.errors[0];
      if (inner instanceof Error && "code" in inner && typeof inner.code === "string") return inner.code;
    }
    if (at.name === "TimeoutError") return "timed out";
  }
  return undefined;
}

function queryString(query: Readonly<Record<string, string | number | undefined>>): string {
  const parameters = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) {
    if (value !== undefined) parameters.set(name, String(value));
  }
  return parameters.size === 0 ? "" : `?${parameters}`;
}

/** A request path from segments, each percent-encoded, so that no id can reach another route. */
export function path(...segments: readonly string[]): string {
  return segments.map((segment) => `/${encodeURIComponent(segment)}`).join("");
}
