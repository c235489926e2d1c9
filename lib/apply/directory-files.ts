/** What stands at a path on disk. `other` is anything a tree cannot hold: a device, a socket, a pipe. */
export type DiskNode =
  | { readonly kind: "file"; readonly executable: boolean }
  | { readonly kind: "symlink" }
  | { readonly kind: "directory" }
  | { readonly kind: "other" };

export type RenameObstacle = "other_file_system" | "not_writable";

/**
 * The few operations that an apply to a directory makes on a disk, each one system call deep, none following a symbolic link
 * at the path itself. Paths are absolute. A fault of the disk is thrown as it comes.
 */
export interface DirectoryFiles {
  lookup(path: string): Promise<DiskNode | undefined>;
  list(path: string): Promise<readonly string[]>;
  /** A file's bytes, or a link's target. */
  read(path: string, kind: "file" | "symlink"): Promise<Uint8Array>;
  /** Writes a new file and syncs it to the disk. */
  writeFile(path: string, bytes: Uint8Array, options: { readonly executable: boolean }): Promise<void>;
  /** Gives one file the permissions of another. */
  copyPermissions(from: string, to: string): Promise<void>;
  makeSymlink(path: string, target: Uint8Array): Promise<void>;
  makeDirectory(path: string): Promise<void>;
  /** Replaces what stands at `to`, unless that is a directory. */
  rename(from: string, to: string): Promise<void>;
  removeFile(path: string): Promise<void>;
  /** Why no file can be renamed from one directory into another, where that can be known before; it may fail all the same. */
  renameObstacle(from: string, into: string): Promise<RenameObstacle | undefined>;
  /** Removes an empty directory; `false` when it holds something or has to stay (a mount, no permission). */
  removeDirectory(path: string): Promise<boolean>;
  /** Makes the names in a directory durable. */
  syncDirectory(path: string): Promise<void>;
}
