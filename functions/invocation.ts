import { AsyncLocalStorage } from "node:async_hooks";
import type { Log } from "#lib/log/log.ts";

/** Of the request or message that is being handled. */
export interface Invocation {
  readonly requestId: string;
  /** As in `X-Amzn-Trace-Id`: of the request that this goes back to, over all messages in between. */
  readonly traceHeader: string | undefined;
}

const current = new AsyncLocalStorage<Invocation>();

/** Runs `work` so that all that it logs and sends bears the invocation's ids. */
export const inInvocation = <T>(invocation: Invocation, work: () => T): T => current.run(invocation, work);

/** What a message that is sent now must carry for its trace to go on; `undefined` outside an invocation. */
export const currentTraceHeader = (): string | undefined => current.getStore()?.traceHeader;

/** Adds the ids of the invocation to each record that has none of its own. */
export const invocationLog = (log: Log): Log => ({
  write(record) {
    const invocation = current.getStore();
    if (invocation === undefined) return log.write(record);
    const { requestId, traceHeader } = invocation;
    log.write({ requestId, traceId: traceIdOf(traceHeader), ...record });
  },
});

/**
 * The trace header of an invocation: Lambda's own where there is one, else the first of the given ones that has the form
 * (`Root=1-8 hexadecimal digits-24 hexadecimal digits`, and what follows it); what a caller made up otherwise is left out.
 */
export const traceHeaderOf = (...given: readonly (string | undefined)[]): string | undefined =>
  [...given, process.env._X_AMZN_TRACE_ID].find((header) => traceIdOf(header) !== undefined);

const traceIdOf = (header: string | undefined): string | undefined =>
  header === undefined || header.length > 256
    ? undefined
    : /^Root=(1-[0-9a-f]{8}-[0-9a-f]{24})(?:;[\w=;.-]*)?$/.exec(header)?.[1];
