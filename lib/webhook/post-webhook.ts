import { PlanledgerError } from "../errors/planledger-error.ts";
import { guardedClient } from "../outbound/guarded-client.ts";
import type { OutboundPorts } from "../outbound/outbound-ports.ts";
import type { PostWebhook } from "./deliver-phase.ts";
import type { AttemptOutcome } from "./delivery.ts";

/** From the first look-up to the status of the answer. */
const timeLimitMs = 10_000;

/**
 * Posts over connections that are guarded (`guardedConnect`): no address that is not public, no redirect followed, the answer's
 * body left unread, the connection ended with the attempt.
 */
export const postWebhook =
  (outbound: OutboundPorts, limitMs: number = timeLimitMs): PostWebhook =>
  async ({ url, headers, body }) => {
    const client = guardedClient(outbound);
    const signal = AbortSignal.timeout(limitMs);
    try {
      const { status } = await client.request({
        url: new URL(url),
        method: "POST",
        headers: { ...headers, "content-length": String(Buffer.byteLength(body)) },
        body,
        signal,
      });
      return { kind: "answered", status };
    } catch (error) {
      return failureOf(error, { isTimedOut: signal.aborted, limitMs });
    } finally {
      client.close();
    }
  };

const failureOf = (
  error: unknown,
  { isTimedOut, limitMs }: { readonly isTimedOut: boolean; readonly limitMs: number },
): AttemptOutcome => {
  if (isTimedOut) {
    const message = `The receiver did not answer within ${limitMs / 1000} s.`;
    return { kind: "failed", code: "timed_out", message };
  }
  if (error instanceof PlanledgerError) return { kind: "failed", code: error.code, message: error.message };
  const why = error instanceof Error && "code" in error ? String(error.code) : "unknown reason";
  const message = `The connection broke before the receiver had answered (${why}).`;
  return { kind: "failed", code: "external_failed", message };
};
