/** Partitions of the index of what is due: each takes a thousand looks a second. */
export const dueShards = 4;

export const duePartition = (shard: number): string => `DUE#${shard}`;
