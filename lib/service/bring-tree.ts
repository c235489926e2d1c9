import { directoryWire } from "../api/directory-wire.ts";
import { concurrently } from "../client/concurrently.ts";
import { packs } from "../client/packs.ts";
import { ValidationError } from "../errors/planledger-error.ts";
import type { TreeSource } from "../source/source-side.ts";
import { emptyTree } from "../tree/empty-tree.ts";
import type { FileState } from "../tree/file-state.ts";
import { storePack } from "./store-pack.ts";
import type { TenantStores } from "./tenant-stores.ts";

/** Bytes of files that are held at once, and files that are fetched at once. */
const heldBytes = 8 * 1024 * 1024;
const fetchedAtOnce = 4;
/** A tree that is deeper leads nowhere. */
const deepest = 128;

/**
 * Takes a tree from elsewhere into the tenant's store, only what is missing there: a directory that is known has its whole tree.
 * What comes is held to all that holds for uploads. Broken off anywhere, it goes on where it was.
 */
export async function bringTree(
  stores: TenantStores,
  from: TreeSource,
  tree: { readonly sha256: string; readonly signal: AbortSignal },
): Promise<void> {
  const { sha256: root, signal } = tree;

  const bring = async (sha256: string, depth: number): Promise<void> => {
    signal.throwIfAborted();
    if (sha256 === emptyTree.sha256 || depth > deepest) return;
    if ((await stores.trees.missing([sha256])).length === 0) return;
    const directory = await from.directory(sha256);
    for (const entry of directory.entries) {
      if (entry.kind === "directory") await bring(entry.directory.sha256, depth + 1);
    }
    await bringFiles(directory.entries.flatMap((entry) => (entry.kind === "file" ? [entry.file] : [])));
    // Checks that all it names is there, and is what it says.
    await storePack(stores, { contents: [], directories: [directoryWire(directory)] });
  };

  const bringFiles = async (files: readonly FileState[]): Promise<void> => {
    const bySha256 = new Map(files.map((file) => [file.sha256, file]));
    const lacking = new Set(await stores.content.missing([...bySha256.keys()]));
    const toFetch = [...bySha256.values()].filter(({ sha256 }) => lacking.has(sha256));
    const held = packs(toFetch, { limit: heldBytes, most: 200, size: ({ sizeBytes }) => sizeBytes + 1 });
    for (const pack of held) {
      const contents: Uint8Array[] = [];
      await concurrently(pack, fetchedAtOnce, async ({ sha256, sizeBytes }) => {
        signal.throwIfAborted();
        const bytes = await from.content(sha256);
        // The stated sizes are what bounds a pack.
        if (bytes.byteLength !== sizeBytes) throw otherSize(bytes, { sha256, sizeBytes });
        contents.push(bytes);
      });
      await stores.content.put(contents);
    }
  };

  await bring(root, 0);
}

const otherSize = (
  { byteLength }: Uint8Array,
  { sha256, sizeBytes }: Pick<FileState, "sha256" | "sizeBytes">,
): ValidationError =>
  new ValidationError({
    code: "content_mismatch",
    field: "sizeBytes",
    message: `Nothing was taken of it: the content ${sha256} has ${byteLength} bytes, and its tree says ${sizeBytes}.`,
    details: { sha256, expected: sizeBytes, found: byteLength },
  });
