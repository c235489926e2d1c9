import type { DeletedRecord, TimedKey, TimedKind, TimedRecord } from "./timed-record.ts";

/** Records of one kind, of all tenants. Reads are strongly consistent. */
export interface TimedRecordStore<Live extends TimedRecord> {
  get(key: TimedKey): Promise<Live | DeletedRecord | undefined>;
  /**
   * Writes if the latest revision still is `record.revision - 1` (0: there is none); `false` when somebody else was first. A
   * put whose answer was lost and which is sent again is known as the same.
   */
  put(record: Live | DeletedRecord): Promise<boolean>;
  /** In the order of the bytes of names, deleted ones left out. A page may hold fewer than `limit` and still have a cursor. */
  list(query: {
    readonly tenant: string;
    readonly limit: number;
    readonly cursor?: string;
  }): Promise<{ readonly records: readonly Live[]; readonly cursor?: string }>;
}

export interface DueKey extends TimedKey {
  readonly kind: TimedKind;
}

/** Finds what is due, of all kinds and tenants, without looking at anything else. It may be behind by a moment. */
export interface DueRecords {
  /** Those to be looked at by now: the longest due first, as far as that can be told; `limit` of them at most. */
  due(query: { readonly nowEpochSeconds: number; readonly limit: number }): Promise<readonly DueKey[]>;
}
