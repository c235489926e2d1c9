import { allowedValue } from "./allowed-value.ts";

/**
 * What happens where both sides changed to different content, and only there. `manual` reports the conflict and resolves
 * none.
 */
export const conflictPolicies = ["local_wins", "server_wins", "manual"] as const;
export type ConflictPolicy = (typeof conflictPolicies)[number];

/** Throws `ValidationError` on `conflictPolicy` that lists the policies. */
export const checkedConflictPolicy = (value: unknown): ConflictPolicy =>
  allowedValue("conflictPolicy", value, conflictPolicies);
