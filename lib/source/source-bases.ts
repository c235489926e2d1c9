import type { SyncBaseStore } from "../sync/sync-base-store.ts";
import type { SourcePlace } from "./source-run-store.ts";

/** A later run has written since: whoever holds this is a run that ended long ago, as far as anybody knows. */
export class SourceFenceLost extends Error {
  constructor() {
    super("A later run of this sync source has written already.");
    this.name = "SourceFenceLost";
  }
}

/** What is known of a place beside its runs. */
export interface SourceBases {
  /**
   * The bases, for the run with this number. Each is saved whole and in no order among each other; what a later run saved is
   * not overwritten: then `SourceFenceLost` is thrown.
   */
  of(place: SourcePlace, run: number): SyncBaseStore;
  /** Content hashes of items by the hashes of the bytes that they were read from. They never change, so they need no fence. */
  documents(place: SourcePlace): Promise<ReadonlyMap<string, string>>;
  rememberDocuments(place: SourcePlace, contentSha256s: ReadonlyMap<string, string>): Promise<void>;
}
