/**
 * Bytes by their SHA-256 (lower-case hex), for one tenant; whether a hash exists is never told across tenants.
 * `get` answers `undefined` for what is not there; `put` is idempotent, durable when it returns, and returns the hashes
 * in the order given. Content is never expired once it is referenced.
 */
export interface ContentStore {
  get(sha256: string): Promise<Uint8Array | undefined>;
  put(contents: readonly Uint8Array[]): Promise<readonly string[]>;
  /** Which of these hashes the store lacks. */
  missing(sha256s: readonly string[]): Promise<readonly string[]>;
}
