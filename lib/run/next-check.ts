const granularitySeconds = 60;
const aheadSeconds = 120;

/**
 * When the reconciler should look at a run again: coarse, so that a busy run touches the index about once a minute, and
 * kept as it is while it lies far enough ahead.
 */
export function nextCheck(currentEpochSeconds: number | undefined, nowEpochMs: number): number {
  const nowEpochSeconds = Math.floor(nowEpochMs / 1000);
  if (currentEpochSeconds !== undefined && currentEpochSeconds >= nowEpochSeconds + granularitySeconds) {
    return currentEpochSeconds;
  }
  return Math.ceil((nowEpochSeconds + aheadSeconds) / granularitySeconds) * granularitySeconds;
}
