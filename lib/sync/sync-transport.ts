import type { ResourceKind } from "../resource/resource-store.ts";
import type { SyncItem } from "./sync-item.ts";

export interface SyncKey {
  readonly kind: ResourceKind;
  /** In NFC. */
  readonly id: string;
}

/** The latest revision of an item on the server, without its document. Of a tombstone, hash and version are what was deleted. */
export interface SyncRow extends SyncKey {
  readonly serverId: string;
  readonly revision: number;
  readonly version: string;
  readonly contentSha256: string;
  readonly deleted: boolean;
}

/** Written only if the latest revision is `expectedRevision` (0: none, or a tombstone). */
export type SyncWrite =
  | {
      readonly op: "put";
      readonly kind: ResourceKind;
      readonly item: SyncItem;
      readonly expectedRevision: number;
    }
  | {
      readonly op: "delete";
      readonly kind: ResourceKind;
      readonly id: string;
      readonly expectedRevision: number;
    };

/** `refused`: it cannot be read, whoever asks. `unprocessed`: nothing was done about it; it is asked for again. */
export type SyncReadResult =
  | { readonly status: "found"; readonly row: SyncRow; readonly item: SyncItem }
  | { readonly status: "gone"; readonly row: SyncRow | undefined }
  | { readonly status: "refused"; readonly code: string; readonly message: string }
  | { readonly status: "unprocessed" };

/**
 * `unchanged`: it stood there already as it was to be written, by whomever. `conflict`: another revision stands, `found` (there
 * never was one: `undefined`). `refused`: it can never be written as it is.
 */
export type SyncWriteResult =
  | { readonly status: "written" | "unchanged"; readonly row: SyncRow }
  | { readonly status: "conflict"; readonly found: SyncRow | undefined }
  | {
      readonly status: "refused";
      readonly code: string;
      readonly message: string;
      readonly field?: string | undefined;
    }
  | { readonly status: "unprocessed" };

/**
 * The server's side of a sync: resources of one tenant. Each call is one request, after the transport's own retries; a
 * failure of the request as a whole is thrown and ends the run. Sending a request again does no harm. Up to
 * `syncLimits.operations` keys or writes a call, at most one an item.
 */
export interface SyncTransport {
  /** Rows in the order of kind and id, tombstones included, strongly consistent; up to 5,000 a page. */
  list(query: {
    readonly kinds: readonly ResourceKind[];
    readonly cursor?: string;
  }): Promise<{ readonly rows: readonly SyncRow[]; readonly cursor?: string | undefined }>;
  /** A result for each key, in their order. */
  read(keys: readonly SyncKey[]): Promise<readonly SyncReadResult[]>;
  /** A result for each write, in their order. One item's failure is not the others'. */
  write(writes: readonly SyncWrite[]): Promise<readonly SyncWriteResult[]>;
}
