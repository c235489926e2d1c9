import type { Directory } from "../tree/directory.ts";
import { directoryRef } from "../tree/directory-ref.ts";
import { emptyTree } from "../tree/empty-tree.ts";
import { concurrently } from "./concurrently.ts";
import type { ContentClient } from "./content-client.ts";
import { packs } from "./packs.ts";
import type { TreeDirectories } from "./tree-directories.ts";

export interface MissingOfTree {
  readonly directories: ReadonlySet<string>;
  /** Content that the service lacks, or that is likely enough to be new that it is not asked about. */
  readonly contents: ReadonlySet<string>;
}

/** The service looks for each of them, and must be done within its time. */
const askedAtOnce = 1_000;
/** How many contents, taken evenly, tell whether the rest is worth asking about. */
const sampleSize = 200;

/**
 * What the service lacks of a tree, asked from the root down: a directory that it has is there with all below it, so an
 * unchanged tree costs one question. Of the files in new directories a sample is asked first; where the service has none of
 * it, the tree is taken for new, and the rest is sent unasked.
 */
export async function findMissing(
  content: Pick<ContentClient, "missing">,
  tree: TreeDirectories,
  signal?: AbortSignal,
): Promise<MissingOfTree> {
  const byHash = new Map(tree.directories.map((directory) => [directoryRef(directory).sha256, directory]));
  const directories = new Set<string>();
  for (let level = new Set([tree.root.sha256]); level.size > 0; ) {
    level.delete(emptyTree.sha256);
    const lacking = await lacked(content, { kind: "directories", hashes: [...level], signal });
    for (const sha256 of lacking) directories.add(sha256);
    const below = lacking.flatMap((sha256) => subdirectories(byHash.get(sha256)));
    level = new Set(below.filter((sha256) => !directories.has(sha256)));
  }

  const named = new Set([...directories].flatMap((sha256) => contents(byHash.get(sha256))));
  const candidates = [...named];
  const stride = Math.max(1, Math.floor(candidates.length / sampleSize));
  const sample = candidates.filter((_, index) => index % stride === 0);
  const lackedOfSample = await lacked(content, { kind: "contents", hashes: sample, signal });
  if (lackedOfSample.length === sample.length) return { directories, contents: named };
  const sampled = new Set(sample);
  const rest = candidates.filter((sha256) => !sampled.has(sha256));
  const lackedOfRest = await lacked(content, { kind: "contents", hashes: rest, signal });
  return { directories, contents: new Set([...lackedOfSample, ...lackedOfRest]) };
}

const subdirectories = (directory: Directory | undefined): readonly string[] =>
  directory?.entries.flatMap((entry) => (entry.kind === "directory" ? [entry.directory.sha256] : [])) ?? [];

const contents = (directory: Directory | undefined): readonly string[] =>
  directory?.entries.flatMap((entry) => (entry.kind === "file" ? [entry.file.sha256] : [])) ?? [];

async function lacked(
  content: Pick<ContentClient, "missing">,
  asked: {
    readonly kind: "contents" | "directories";
    readonly hashes: readonly string[];
    readonly signal: AbortSignal | undefined;
  },
): Promise<readonly string[]> {
  const lacking: string[] = [];
  const batches = packs(asked.hashes, { limit: askedAtOnce, most: askedAtOnce, size: () => 1 });
  await concurrently(batches, 3, async (batch) => {
    const question = { contents: [], directories: [], [asked.kind]: [...batch] };
    const answer = await content.missing(question, asked.signal);
    lacking.push(...answer[asked.kind]);
  });
  return lacking;
}
