import { allowedValue } from "./allowed-value.ts";

/** `push` writes to the server only, `pull` to the local items only. */
export const syncDirections = ["push", "pull", "both"] as const;
export type SyncDirection = (typeof syncDirections)[number];

export const checkedSyncDirection = (value: unknown): SyncDirection =>
  allowedValue("direction", value, syncDirections);
