/** What one attempt of a request came to. `sent` is false when the request cannot have reached the service. */
export type AttemptOutcome =
  | { readonly kind: "reply"; readonly status: number; readonly retryAfterMs: number | undefined }
  | { readonly kind: "connection_error"; readonly sent: boolean };

export const maximumAttempts = 6;
const firstDelayMs = 100;
const longestDelayMs = 5_000;
/** A longer `Retry-After` than this is told to the caller instead of being waited for. */
const longestRetryAfterMs = 60_000;

/**
 * How long to wait before the next attempt, or `undefined` when this outcome is final: anything but 429, 502, 503, 504
 * and connection errors, and every outcome of the last attempt. A request that must not be repeated is sent again only
 * where the first cannot have done anything: refused with 429 or before it was sent. `attempt` counts from 1.
 */
export function retryDelayMs(
  outcome: AttemptOutcome,
  how: { readonly attempt: number; readonly repeatable: boolean; readonly random: number },
): number | undefined {
  if (how.attempt >= maximumAttempts || !mayRepeat(outcome, how.repeatable)) return undefined;
  const ceiling = Math.min(longestDelayMs, firstDelayMs * 2 ** (how.attempt - 1));
  const jittered = ceiling / 2 + (ceiling / 2) * how.random;
  const asked = outcome.kind === "reply" ? (outcome.retryAfterMs ?? 0) : 0;
  return asked > longestRetryAfterMs ? undefined : Math.round(asked + jittered);
}

function mayRepeat(outcome: AttemptOutcome, repeatable: boolean): boolean {
  switch (outcome.kind) {
    case "connection_error":
      return repeatable || !outcome.sent;
    case "reply":
      if (outcome.status === 429) return true;
      return repeatable && (outcome.status === 502 || outcome.status === 503 || outcome.status === 504);
    default:
      return outcome satisfies never;
  }
}

/** `Retry-After` in milliseconds: seconds, or an HTTP date taken against the reply's own `Date`. */
export function retryAfterMs(headers: Headers): number | undefined {
  const value = headers.get("retry-after");
  if (value === null) return undefined;
  if (/^\d{1,9}$/.test(value.trim())) return Number(value) * 1000;
  const until = Date.parse(value) - Date.parse(headers.get("date") ?? "");
  return Number.isNaN(until) ? undefined : Math.max(0, until);
}
