export const resourceKinds = ["actions", "skills", "tools", "projects"] as const;
export type ResourceKind = (typeof resourceKinds)[number];

export interface ResourceKey {
  readonly tenant: string;
  readonly kind: ResourceKind;
  /** `namespace/name`, in NFC. */
  readonly id: string;
}

/** One revision of a synced resource. Revisions count from 1 without gaps; a deletion is a revision too (a tombstone). */
export interface ResourceRecord extends ResourceKey {
  readonly v: 1;
  /** Given at the first revision, kept by all later ones. */
  readonly serverId: string;
  readonly revision: number;
  /** The author's version, compared as a version ("1.10" is newer than "1.9"). */
  readonly version: string;
  /** SHA-256 of the canonical form without server id and sync metadata. */
  readonly contentSha256: string;
  readonly deleted: boolean;
  /** The resource itself; of a project: `{ tree, gitTreeId, settings }`. */
  readonly body: Readonly<Record<string, unknown>>;
  readonly updatedBy: string;
  readonly updatedAtEpochMs: number;
  /** Digest of the changeset that made this revision, where one did. */
  readonly changesetDigest?: string;
  /** The plan that the changeset is of. */
  readonly planId?: string;
}

/** Versioned resources of all tenants. Reads are strongly consistent; history stays readable, tombstones too. */
export interface ResourceStore {
  get(key: ResourceKey): Promise<ResourceRecord | undefined>;
  getRevision(key: ResourceKey & { readonly revision: number }): Promise<ResourceRecord | undefined>;
  /**
   * Writes if the latest revision is still `record.revision - 1` (0: none); `false` when somebody else was first. The very
   * same record as the latest is taken as written: a repeated put after a lost answer.
   */
  put(record: ResourceRecord): Promise<boolean>;
  /** Latest revisions in the order of the bytes of kind and id, tombstones included, bodies left out. */
  list(query: {
    readonly tenant: string;
    readonly kind?: ResourceKind;
    readonly limit: number;
    readonly cursor?: string;
  }): Promise<{
    readonly resources: readonly Omit<ResourceRecord, "body">[];
    readonly cursor?: string;
  }>;
}
