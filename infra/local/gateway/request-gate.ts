/** Lets a bounded number of requests in at once, the others in the order in which they came. */
export interface RequestGate {
  /** Runs it when its turn comes; `undefined` at once when so many wait that it would never come in time. */
  enter<T>(run: () => Promise<T>): Promise<{ readonly value: T } | undefined>;
}

export const requestGate = (limits: {
  readonly maximumConcurrency: number;
  readonly maximumWaiting: number;
}): RequestGate => {
  const waiting: (() => void)[] = [];
  let inside = 0;
  return {
    async enter(run) {
      if (inside >= limits.maximumConcurrency) {
        if (waiting.length >= limits.maximumWaiting) return undefined;
        const { promise: turn, resolve } = Promise.withResolvers<void>();
        waiting.push(resolve);
        await turn;
      } else {
        inside += 1;
      }
      try {
        return { value: await run() };
      } finally {
        // The place passes on, so that nobody who comes now overtakes who waits.
        const next = waiting.shift();
        if (next === undefined) inside -= 1;
        else next();
      }
    },
  };
};
