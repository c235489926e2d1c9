/** The kinds of records that come due: plan schedules and sync sources. */
export const timedKinds = ["schedules", "sources"] as const;
export type TimedKind = (typeof timedKinds)[number];

export const isTimedKind = (text: string): text is TimedKind => timedKinds.some((kind) => kind === text);

export interface TimedKey {
  readonly tenant: string;
  /** One of its kind in the tenant. */
  readonly name: string;
}

/** A record that is looked at when its time comes. Revisions count from 1, deletions included. */
export interface TimedRecord extends TimedKey {
  readonly v: 1;
  readonly revision: number;
  /** When somebody has to look at it next; nobody has to without it. */
  readonly lookAtEpochSeconds?: number | undefined;
}

/** What is left of a record that was deleted: its revision goes on, should there be one of that name again. */
export interface DeletedRecord extends TimedRecord {
  readonly deleted: true;
}

export const isDeleted = (record: TimedRecord): record is DeletedRecord =>
  "deleted" in record && record.deleted === true;

/** The record that follows a deletion, or none: with nothing of the former but its key and revision. */
export const deletedRecord = ({ tenant, name, revision }: TimedRecord): DeletedRecord => ({
  v: 1,
  tenant,
  name,
  revision: revision + 1,
  deleted: true,
});
