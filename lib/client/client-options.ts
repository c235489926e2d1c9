import { ValidationError } from "../errors/planledger-error.ts";
import type { IdSource } from "../run/clock.ts";

/** What the client needs of the world: it reads no clock and no random of its own. */
export interface ClientPorts {
  readonly fetch: typeof globalThis.fetch;
  /** Resolves after the time, or rejects with the signal's reason when it is aborted first. */
  delay(milliseconds: number, signal?: AbortSignal): Promise<void>;
  /** In [0, 1); spreads retries. */
  random(): number;
  readonly ids: IdSource;
  /** Told before each wait for another attempt at a request. */
  waiting(wait: RetryWait): void;
}

/** A request is sent again after `delayMs`, as attempt `nextAttempt` of up to `maximumAttempts`. */
export interface RetryWait {
  /** Of the reply; absent where there was none. */
  readonly status?: number;
  readonly delayMs: number;
  readonly nextAttempt: number;
  readonly maximumAttempts: number;
}

/** Where to go and as whom. `url` is the service's base, with or without a path prefix; `/v1` is added. */
export interface ClientAddress {
  readonly url: string;
  readonly token: string;
}

/** The base URL without a trailing slash; throws `ValidationError` that names `url` or `token`. */
export function checkedAddress(address: ClientAddress): ClientAddress {
  const { url, token } = address;
  if (typeof url !== "string" || !URL.canParse(url)) {
    throw new ValidationError({
      field: "url",
      message: `url must be an absolute http or https URL such as http://127.0.0.1:7070, not ${JSON.stringify(url)}`,
    });
  }
  const parsed = new URL(url);
  if (parsed.protocol !== "http:" && parsed.protocol !== "https:") {
    throw new ValidationError({ field: "url", message: `url must be http or https, not ${parsed.protocol}` });
  }
  if (parsed.username !== "" || parsed.password !== "" || parsed.search !== "" || parsed.hash !== "") {
    throw new ValidationError({
      field: "url",
      message: "url must hold neither credentials, nor a query, nor a fragment; the token is given apart",
    });
  }
  if (typeof token !== "string" || !/^[\x21-\x7e]+$/.test(token)) {
    throw new ValidationError({
      field: "token",
      message: "token must be a non-empty string of printable ASCII without spaces (plt_<id>_<secret>)",
    });
  }
  return { url: `${parsed.origin}${parsed.pathname.replace(/\/+$/, "")}`, token };
}
