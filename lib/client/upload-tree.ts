import { directoryWire } from "../api/directory-wire.ts";
import { contentSha256, contentState } from "../content/content-state.ts";
import { ConflictError, ValidationError } from "../errors/planledger-error.ts";
import type { Directory } from "../tree/directory.ts";
import { directoryRef } from "../tree/directory-ref.ts";
import { maxFileSizeBytes } from "../tree/file-limit.ts";
import type { FileMode, FileState } from "../tree/file-state.ts";
import { checkPath } from "../tree/path-rules.ts";
import { concurrently } from "./concurrently.ts";
import { findMissing } from "./find-missing.ts";
import { packs } from "./packs.ts";
import type { PlanledgerClient } from "./planledger-client.ts";
import { treeDirectories } from "./tree-directories.ts";
import { type BundleLimits, uploadBundles } from "./upload-bundles.ts";

/** A file to upload, read when it is its turn (up to twice: to hash it, and to send it if the service lacks it). */
export interface SourceFile {
  readonly path: string;
  readonly mode: FileMode;
  /** The bytes; of a symbolic link, its target. */
  read(): Promise<Uint8Array>;
}

export interface UploadProgress {
  readonly stage: "hashing" | "sending";
  readonly done: number;
  readonly total: number;
  readonly bytes: number;
}

export interface UploadedTree {
  /** What `projectResources.NAME.tree` takes. */
  readonly tree: string;
  readonly gitTreeId: string;
  readonly fileCount: number;
  readonly sentContents: number;
  readonly sentBytes: number;
  readonly sentDirectories: number;
}

/** Of the 4 MiB that a body may have; the rest is for the JSON around it. The service stores so many things well within its time. */
const packLimits: BundleLimits = { bytes: 3_900_000, items: 1_000 };
/** Larger content goes by a URL of its own. */
const packedBytes = 2_900_000;

/**
 * Brings a tree of files to the service, sending only what it lacks of this tenant's. Bounded in memory by a few packs,
 * whatever the number of files; killed at any moment, the next call sends what is still missing. Refuses files above 16 MiB
 * and paths that no tree can hold (`ValidationError`), and a file that changes meanwhile (`ConflictError`).
 */
export async function uploadTree(options: {
  readonly client: Pick<PlanledgerClient, "content">;
  readonly files: readonly SourceFile[];
  readonly signal?: AbortSignal | undefined;
  readonly onProgress?: (progress: UploadProgress) => void;
}): Promise<UploadedTree> {
  const { client, files, signal } = options;
  const report = options.onProgress ?? (() => undefined);
  const hashed = await hashFiles(files, { signal, report });
  const tree = await treeDirectories(hashed.map(({ source, file }) => ({ path: source.path, file })));
  const { root, directories } = tree;

  const bySha256 = new Map(hashed.map((entry) => [entry.file.sha256, entry]));
  const lacking = await findMissing(client.content, tree, signal);
  const toSend = [...bySha256.values()].filter(({ file }) => lacking.contents.has(file.sha256));
  const sentBytes = toSend.reduce((sum, { file }) => sum + file.sizeBytes, 0);

  let done = 0;
  let bytesDone = 0;
  report({ stage: "sending", done, total: toSend.length, bytes: sentBytes });
  const large = toSend.filter(({ file }) => file.sizeBytes > packedBytes);
  const small = toSend.filter(({ file }) => file.sizeBytes <= packedBytes);
  const sent = (entries: readonly HashedFile[]) => {
    done += entries.length;
    for (const { file } of entries) bytesDone += file.sizeBytes;
    report({ stage: "sending", done, total: toSend.length, bytes: bytesDone });
  };
  await concurrently(large, 3, async (entry) => {
    await client.content.upload({ sha256: entry.file.sha256, bytes: await readAgain(entry), signal });
    sent([entry]);
  });
  const newDirectories = directories.filter((one) => lacking.directories.has(directoryRef(one).sha256));
  const { bundles, behind } = uploadBundles({
    directories: newDirectories,
    contents: new Map(
      small.map((entry) => [entry.file.sha256, { ...entry, sizeBytes: entry.file.sizeBytes }]),
    ),
    wireBytes,
    limits: packLimits,
  });
  await concurrently(bundles, 3, async ({ contents: entries, directories: complete }) => {
    const encoded: string[] = [];
    for (const entry of entries) encoded.push(Buffer.from(await readAgain(entry)).toString("base64"));
    await client.content.sendPack({ contents: encoded, directories: complete.map(directoryWire) }, signal);
    sent(entries);
  });

  // In order, one pack after another: a directory comes after the subdirectories that it names.
  for (const pack of packs(behind, { limit: 1, most: packLimits.items, size: shareOfPack })) {
    await client.content.sendPack({ contents: [], directories: pack.map(directoryWire) }, signal);
  }
  return {
    tree: root.sha256,
    gitTreeId: root.gitTreeId,
    fileCount: files.length,
    sentContents: toSend.length,
    sentBytes,
    sentDirectories: newDirectories.length,
  };
}

interface HashedFile {
  readonly source: SourceFile;
  readonly file: FileState;
}

async function hashFiles(
  files: readonly SourceFile[],
  how: { readonly signal?: AbortSignal | undefined; readonly report: (progress: UploadProgress) => void },
): Promise<readonly HashedFile[]> {
  const hashed: HashedFile[] = [];
  let bytes = 0;
  await concurrently(files, 8, async (source) => {
    how.signal?.throwIfAborted();
    checkPath(source.path);
    const content = await source.read();
    if (content.byteLength > maxFileSizeBytes) {
      throw new ValidationError({
        field: "files",
        code: "file_too_large",
        message: `${JSON.stringify(source.path)} has ${content.byteLength} bytes; a file may have up to ${maxFileSizeBytes}. Leave it out, for example by ignoring it.`,
        details: { path: source.path, limit: maxFileSizeBytes, found: content.byteLength },
      });
    }
    hashed.push({ source, file: contentState(content, source.mode) });
    bytes += content.byteLength;
    how.report({ stage: "hashing", done: hashed.length, total: files.length, bytes });
  });
  return hashed;
}

/** The file once more, which must still be what was hashed. */
async function readAgain({ source, file }: HashedFile): Promise<Uint8Array<ArrayBuffer>> {
  const bytes = Uint8Array.from(await source.read());
  if (contentSha256(bytes) === file.sha256) return bytes;
  throw new ConflictError({
    code: "content_mismatch",
    message: `${JSON.stringify(source.path)} changed while it was being uploaded; run the command again when nothing writes there`,
    details: { path: source.path },
  });
}

const wireBytes = (directory: Directory): number =>
  Buffer.byteLength(JSON.stringify(directoryWire(directory))) + 1;

/** Of the bytes that a pack may have, or of what the service looks up for it: whichever it takes more of. */
const shareOfPack = (directory: Directory): number =>
  Math.max(wireBytes(directory) / packLimits.bytes, directory.entries.length / packLimits.items);
