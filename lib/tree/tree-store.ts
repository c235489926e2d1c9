import type { Directory, DirectoryRef } from "./directory.ts";

/**
 * Directories by hash, for one tenant. `get` of a directory that is not there throws `NotFoundError` (`not_found`);
 * `put` is idempotent and returns the references in the order given. It knows no plan and no path.
 */
export interface TreeStore {
  get(sha256: string): Promise<Directory>;
  put(directories: readonly Directory[]): Promise<readonly DirectoryRef[]>;
  /** Which of these hashes the store lacks. */
  missing(sha256s: readonly string[]): Promise<readonly string[]>;
}
