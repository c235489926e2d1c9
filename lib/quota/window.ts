/** The start of the window of so many seconds that a moment lies in. */
export const windowStart = (nowEpochMs: number, windowSeconds: number): number =>
  Math.floor(nowEpochMs / 1000 / windowSeconds) * windowSeconds;

/** How long a window still lasts, by a clock that may lie before it. */
export const secondsLeft = (
  nowEpochMs: number,
  window: { readonly startEpochSeconds: number; readonly windowSeconds: number },
): number => window.startEpochSeconds + window.windowSeconds - nowEpochMs / 1000;
