import type { ChangeEntry } from "./change-entry.ts";

/** The ordered entries of one run. Open until sealed under its digest; never deleted, never edited. */
export type ChangeSet = {
  readonly changesetId: string;
  readonly planId: string;
  readonly entries: readonly ChangeEntry[];
} & ({ readonly state: "open" } | { readonly state: "sealed"; readonly digest: string });
