/** When an item may be removed, in seconds since the epoch; most items have none, and nothing depends on the removal. */
export const expiryAttribute = "ttl";

/** A table as plain data, for every renderer of the topology. All keys are strings. */
export interface TableDefinition {
  readonly expiryAttribute: string;
  readonly partitionKey: string;
  readonly sortKey: string;
  readonly indexes: readonly {
    readonly name: string;
    readonly partitionKey: string;
    readonly sortKey: string;
    readonly projection: "KEYS_ONLY";
  }[];
}

/**
 * Sparse: holds frontiers of runs that have not ended, by shard and coarse time of the reconciler's next look; and, in shards
 * of their own, timed records (plan schedules, sync sources) by the time of their next look.
 */
export const openRunsIndex = {
  name: "open-runs",
  partitionKey: "op",
  sortKey: "on",
  projection: "KEYS_ONLY",
} as const;

/**
 * Planledger's one table, billed per request. An item has the keys `pk` and `sk`, its format's version `v`, and few, short
 * further attributes, since every started kilobyte is billed; `table-keys.ts` says which items there are.
 */
export const tableDefinition: TableDefinition = {
  partitionKey: "pk",
  sortKey: "sk",
  indexes: [openRunsIndex],
  expiryAttribute,
};
