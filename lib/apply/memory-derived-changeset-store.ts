import type { DerivedChangeset } from "./derived-changeset.ts";
import type { DerivedChangesetKey, DerivedChangesetStore } from "./derived-changeset-store.ts";

/** Derived changesets in this process's memory, for tests and for services in process. Copied in and out. */
export function memoryDerivedChangesetStore(): DerivedChangesetStore {
  const changesets = new Map<string, DerivedChangeset>();
  const name = ({ tenant, planId, digest }: DerivedChangesetKey) => JSON.stringify([tenant, planId, digest]);
  return {
    async putIfAbsent(tenant, changeset) {
      const key = name({ ...changeset, tenant });
      const standing = changesets.get(key) ?? structuredClone(changeset);
      changesets.set(key, standing);
      return structuredClone(standing);
    },
    async get(key) {
      return structuredClone(changesets.get(name(key)));
    },
  };
}
