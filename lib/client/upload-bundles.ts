import type { Directory } from "../tree/directory.ts";
import { directoryRef } from "../tree/directory-ref.ts";

/** What one request may carry: bytes of its body, and things that the service stores or looks for. */
export interface BundleLimits {
  readonly bytes: number;
  readonly items: number;
}

export interface UploadBundle<Content> {
  readonly contents: readonly Content[];
  readonly directories: readonly Directory[];
}

export interface UploadOrder<Content> {
  /** Each complete in itself: sent in any order, several at once. */
  readonly bundles: readonly UploadBundle<Content>[];
  /** Sent behind all bundles, in this order: they name what stands in others. */
  readonly behind: readonly Directory[];
}

/**
 * In which company an upload's contents and directories travel. The service stores a directory only when all that it names is
 * there, and must read what did not come with it: so directories go together with their own contents wherever these are in
 * no other request, and only what names other new directories, shares new content with them, or is too large follows behind.
 */
export function uploadBundles<Content extends { readonly sizeBytes: number }>(order: {
  /** Those that the service lacks, subdirectories before those that name them. */
  readonly directories: readonly Directory[];
  /** Those that the service lacks, by their hash. */
  readonly contents: ReadonlyMap<string, Content>;
  readonly wireBytes: (directory: Directory) => number;
  readonly limits: BundleLimits;
}): UploadOrder<Content> {
  const { directories, contents, wireBytes, limits } = order;
  const isNew = new Set(directories.map((directory) => directoryRef(directory).sha256));
  const bundles: { readonly contents: Content[]; readonly directories: Directory[] }[] = [];
  const behind: Directory[] = [];
  const placed = new Set<string>();
  let open = { contents: [] as Content[], directories: [] as Directory[] };
  let inOpen = new Set<string>();
  let used = { bytes: 0, items: 0 };
  const close = () => {
    if (used.items > 0) bundles.push(open);
    open = { contents: [], directories: [] };
    inOpen = new Set();
    used = { bytes: 0, items: 0 };
  };
  const place = (sha256: string, content: Content) => {
    if (!fits(used, cost(content), limits)) close();
    open.contents.push(content);
    placed.add(sha256);
    inOpen.add(sha256);
    used = sum(used, cost(content));
  };

  for (const directory of directories) {
    const named = lackingContents(directory, contents);
    const own = named.filter(([sha256]) => !placed.has(sha256));
    // What it names and the service has already, it looks for.
    const alone = { bytes: wireBytes(directory), items: 1 + directory.entries.length - named.length };
    const whole = own.reduce((total, [, content]) => sum(total, cost(content)), alone);
    const large = !fits({ bytes: 0, items: 0 }, whole, limits);
    if (!large && !fits(used, whole, limits)) close();
    const elsewhere = named.some(([sha256]) => placed.has(sha256) && !inOpen.has(sha256));
    for (const [sha256, content] of own) place(sha256, content);
    if (large || elsewhere || namesNew(directory, isNew)) behind.push(directory);
    else {
      open.directories.push(directory);
      used = sum(used, alone);
    }
  }
  close();
  return { bundles, behind };
}

interface Cost {
  readonly bytes: number;
  readonly items: number;
}

/** In base64, with quotes and a comma. */
const cost = ({ sizeBytes }: { readonly sizeBytes: number }): Cost => ({
  bytes: 4 * Math.ceil(sizeBytes / 3) + 3,
  items: 1,
});

const sum = (one: Cost, other: Cost): Cost => ({
  bytes: one.bytes + other.bytes,
  items: one.items + other.items,
});

const fits = (used: Cost, added: Cost, limits: BundleLimits): boolean =>
  used.bytes + added.bytes <= limits.bytes && used.items + added.items <= limits.items;

function lackingContents<Content>(
  { entries }: Directory,
  contents: ReadonlyMap<string, Content>,
): readonly (readonly [string, Content])[] {
  const lacking = new Map<string, Content>();
  for (const entry of entries) {
    const content = entry.kind === "file" ? contents.get(entry.file.sha256) : undefined;
    if (entry.kind === "file" && content !== undefined) lacking.set(entry.file.sha256, content);
  }
  return [...lacking];
}

const namesNew = ({ entries }: Directory, isNew: ReadonlySet<string>): boolean =>
  entries.some((entry) => entry.kind === "directory" && isNew.has(entry.directory.sha256));
