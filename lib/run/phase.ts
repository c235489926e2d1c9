/** The phases of a plan, as everybody outside is told them. */
export const phases = [
  "submitted",
  "running",
  "paused",
  "completed",
  "failed",
  "cancelled",
  "applying",
  "applied",
] as const;
export type Phase = (typeof phases)[number];
