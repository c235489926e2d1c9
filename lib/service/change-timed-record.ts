import { ConflictError, NotFoundError } from "../errors/planledger-error.ts";
import {
  type DeletedRecord,
  deletedRecord,
  isDeleted,
  type TimedKey,
  type TimedRecord,
} from "../schedule/timed-record.ts";
import type { TimedRecordStore } from "../schedule/timed-record-store.ts";

/** Writers that meet give way to each other this often. */
const attempts = 8;

/** What errors call a record of a kind. */
type Noun = "schedule" | "sync source";

export const timedNotFound = (noun: Noun, { name }: Pick<TimedKey, "name">): NotFoundError =>
  new NotFoundError({
    code: "not_found",
    message: `There is no ${noun} ${name.slice(0, 100)}.`,
    details: { name: name.slice(0, 100) },
  });

/** The record of that name; `not_found` for what never was or was deleted. */
export const readTimed = async <Live extends TimedRecord>(
  store: Pick<TimedRecordStore<Live>, "get">,
  noun: Noun,
  key: TimedKey,
): Promise<Live> => {
  const record = await store.get(key);
  if (record === undefined || isDeleted(record)) throw timedNotFound(noun, key);
  return record;
};

/**
 * Moves a record on, whoever else moves it meanwhile. `move` makes the next record of what stands, or `undefined` where there
 * is nothing to do: then what stands is the outcome.
 */
export const changeTimed = async <Live extends TimedRecord>(
  store: Pick<TimedRecordStore<Live>, "get" | "put">,
  order: {
    readonly noun: Noun;
    readonly key: TimedKey;
    readonly move: (standing: Live) => Live | undefined;
  },
): Promise<Live> => {
  for (let attempt = 0; attempt < attempts; attempt += 1) {
    const standing = await readTimed(store, order.noun, order.key);
    const next = order.move(standing);
    if (next === undefined) return standing;
    if (await store.put(next)) return next;
  }
  throw busy(order.noun, order.key);
};

/** Deletes a record; `not_found` where there is none. */
export const deleteTimed = async <Live extends TimedRecord>(
  store: Pick<TimedRecordStore<Live>, "get" | "put">,
  noun: Noun,
  key: TimedKey,
): Promise<void> => {
  for (let attempt = 0; attempt < attempts; attempt += 1) {
    if (await store.put(deletedRecord(await readTimed(store, noun, key)))) return;
  }
  throw busy(noun, key);
};

const busy = (noun: Noun, { name }: Pick<TimedKey, "name">): ConflictError =>
  new ConflictError({
    code: "revision_conflict",
    message: `The ${noun} ${name} is being changed by others; send the request again.`,
    details: { name },
  });

/** Saves a record under a name, new or not. */
export const saveTimed = async <Live extends TimedRecord>(
  store: Pick<TimedRecordStore<Live>, "get" | "put">,
  order: {
    readonly noun: Noun;
    readonly key: TimedKey;
    readonly move: (standing: Live | DeletedRecord | undefined) => Live;
  },
): Promise<{ readonly record: Live; readonly created: boolean }> => {
  for (let attempt = 0; attempt < attempts; attempt += 1) {
    const standing = await store.get(order.key);
    const record = order.move(standing);
    if (await store.put(record)) {
      return { record, created: standing === undefined || isDeleted(standing) };
    }
  }
  throw busy(order.noun, order.key);
};
