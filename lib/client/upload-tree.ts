import { directoryWire, type WireDirectory } from "../api/directory-wire.ts";
import { contentSha256, contentState } from "../content/content-state.ts";
import { ConflictError, ValidationError } from "../errors/planledger-error.ts";
import { directoryRef } from "../tree/directory-ref.ts";
import { maxFileSizeBytes } from "../tree/file-limit.ts";
import type { FileMode, FileState } from "../tree/file-state.ts";
import { checkPath } from "../tree/path-rules.ts";
import { concurrently } from "./concurrently.ts";
import { findMissing } from "./find-missing.ts";
import { packs } from "./packs.ts";
import type { PlanledgerClient } from "./planledger-client.ts";
import { treeDirectories } from "./tree-directories.ts";

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

/** Raw bytes a pack: 4 MiB of body hold 3 MiB in base64, less room for the JSON around them. */
const packBytes = 2_900_000;
const packItems = 2_000;

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
  const contentPacks = packs(toSend, {
    limit: packBytes,
    most: packItems,
    size: ({ file }) => file.sizeBytes + 4,
  });
  await concurrently(contentPacks, 3, async (pack) => {
    const contents: Uint8Array<ArrayBuffer>[] = [];
    for (const entry of pack) contents.push(await readAgain(entry));
    const [first] = pack;
    const [only] = contents;
    if (first !== undefined && only !== undefined && pack.length === 1 && only.length > packBytes) {
      await client.content.upload({ sha256: first.file.sha256, bytes: only, signal });
    } else {
      const encoded = contents.map((bytes) => Buffer.from(bytes).toString("base64"));
      await client.content.sendPack({ contents: encoded, directories: [] }, signal);
    }
    done += pack.length;
    for (const { file } of pack) bytesDone += file.sizeBytes;
    report({ stage: "sending", done, total: toSend.length, bytes: bytesDone });
  });

  // In order, one pack after another: a directory comes after the subdirectories that it names.
  const newDirectories = directories.filter((one) => lacking.directories.has(directoryRef(one).sha256));
  const wire = newDirectories.map(directoryWire);
  for (const pack of packs(wire, { limit: packBytes, most: packItems, size: wireSize })) {
    await client.content.sendPack({ contents: [], directories: [...pack] }, signal);
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

const wireSize = (directory: WireDirectory): number => Buffer.byteLength(JSON.stringify(directory)) + 1;
