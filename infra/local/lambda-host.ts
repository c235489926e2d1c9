import type { Context } from "aws-lambda";
import { InfrastructureError, PlanledgerError } from "#lib/errors/planledger-error.ts";
import type { Clock, IdSource } from "#lib/run/clock.ts";

export type LambdaHandler = (event: unknown, context: Context) => Promise<unknown>;

/** A function as its callers see it: events and results pass as JSON, time is limited. */
export interface HostedFunction {
  readonly name: string;
  /**
   * The result, or a rejection: `body_too_large` when the event is larger than a function takes, and when the handler throws
   * or its time is over (its work cannot be undone, as on AWS).
   */
  invoke(event: unknown): Promise<unknown>;
}

/** Hosts handlers in this process. After `drain` contexts say that no time is left, and it waits for what runs. */
export interface LambdaHost {
  host(definition: {
    readonly name: string;
    readonly timeoutSeconds: number;
    readonly memoryMegabytes: number;
    readonly handler: LambdaHandler;
  }): HostedFunction;
  drain(): Promise<void>;
}

/** The service's limit on what goes into a function and comes out of it. */
const payloadMaximumBytes = 6 * 1024 * 1024;

export const lambdaHost = (ports: { readonly clock: Clock; readonly ids: IdSource }): LambdaHost => {
  const running = new Set<Promise<unknown>>();
  let draining = false;

  return {
    host: ({ name, timeoutSeconds, memoryMegabytes, handler }) => ({
      name,
      async invoke(event) {
        const payload = JSON.stringify(event);
        if (Buffer.byteLength(payload) > payloadMaximumBytes) {
          throw new PlanledgerError({ code: "body_too_large", message: tooLarge(name, "event") });
        }
        const deadlineMs = ports.clock.now() + timeoutSeconds * 1000;
        const context = lambdaContext({
          name,
          memoryMegabytes,
          requestId: ports.ids.ulid(),
          remainingMs: () => (draining ? 0 : Math.max(0, deadlineMs - ports.clock.now())),
        });
        const work = Promise.resolve(handler(JSON.parse(payload), context));
        running.add(work);
        // Not the caller's chain: a handler that outlives its time still counts as running.
        work.then(
          () => running.delete(work),
          () => running.delete(work),
        );
        const result = JSON.stringify((await withinSeconds(work, name, timeoutSeconds)) ?? null);
        if (Buffer.byteLength(result) > payloadMaximumBytes) {
          throw new InfrastructureError({ message: tooLarge(name, "result") });
        }
        return JSON.parse(result);
      },
    }),
    async drain() {
      draining = true;
      await Promise.allSettled(running);
    },
  };
};

const tooLarge = (name: string, what: string): string =>
  `The ${what} of function ${name} is larger than ${payloadMaximumBytes} bytes.`;

const withinSeconds = async <T>(work: Promise<T>, name: string, timeoutSeconds: number): Promise<T> => {
  const { promise: timedOut, reject } = Promise.withResolvers<never>();
  const timer = setTimeout(
    () =>
      reject(new InfrastructureError({ message: `Function ${name} timed out after ${timeoutSeconds} s.` })),
    timeoutSeconds * 1000,
  );
  try {
    return await Promise.race([work, timedOut]);
  } finally {
    clearTimeout(timer);
  }
};

const lambdaContext = (options: {
  readonly name: string;
  readonly memoryMegabytes: number;
  readonly requestId: string;
  readonly remainingMs: () => number;
}): Context => ({
  awsRequestId: options.requestId,
  callbackWaitsForEmptyEventLoop: false,
  functionName: options.name,
  functionVersion: "$LATEST",
  invokedFunctionArn: `arn:aws:lambda:us-east-1:000000000000:function:${options.name}`,
  logGroupName: `/aws/lambda/${options.name}`,
  logStreamName: "local",
  memoryLimitInMB: String(options.memoryMegabytes),
  getRemainingTimeInMillis: options.remainingMs,
  done() {},
  fail() {},
  succeed() {},
});
