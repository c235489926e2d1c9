import type { DerivedChangeset } from "./derived-changeset.ts";

export interface DerivedChangesetKey {
  readonly tenant: string;
  readonly planId: string;
  readonly digest: string;
}

/** Derived changesets of all tenants, by plan and digest; written once, never changed. Reads are strongly consistent. */
export interface DerivedChangesetStore {
  /** Writes if there is none under its digest; answers the one that stands, which does the same. */
  putIfAbsent(tenant: string, changeset: DerivedChangeset): Promise<DerivedChangeset>;
  get(key: DerivedChangesetKey): Promise<DerivedChangeset | undefined>;
}
