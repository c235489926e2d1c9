/** `2026-11-30 14:37:02` in UTC, as the service tells times. */
export const moment = (iso: string): string => iso.replace("T", " ").replace(/\.\d+Z$|Z$/, "");

/** `340 ms`, `1.2 s`, `3 min 20 s`. */
export function duration(milliseconds: number): string {
  if (milliseconds < 1000) return `${Math.round(milliseconds)} ms`;
  if (milliseconds < 60_000) return `${(milliseconds / 1000).toFixed(1)} s`;
  const seconds = Math.round(milliseconds / 1000);
  return `${Math.floor(seconds / 60)} min ${seconds % 60} s`;
}
