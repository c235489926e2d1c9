import type * as z from "zod/mini";
import type { packReply, packRequest } from "../api/content-requests.ts";
import { directoryFrom } from "../api/directory-wire.ts";
import { contentSha256, gitBlobId } from "../content/content-state.ts";
import { mapBounded } from "../content/map-bounded.ts";
import { NotFoundError, ValidationError } from "../errors/planledger-error.ts";
import { checkDirectory } from "../tree/check-directory.ts";
import type { Directory, DirectoryEntry } from "../tree/directory.ts";
import { directoryRef } from "../tree/directory-ref.ts";
import { leadsIntoGit } from "../tree/leads-into-git.ts";
import { contentMissing, loadContent } from "./load-content.ts";
import type { TenantStores } from "./tenant-stores.ts";

const readsAtOnce = 24;

/**
 * Stores a pack: first its contents, then its directories. A directory is stored only when everything it names is there and
 * is what it says (sizes and git ids included) and no link leads into `.git`, so that a root that is known has its whole tree.
 */
export const storePack = async (
  stores: TenantStores,
  pack: z.output<typeof packRequest>,
): Promise<z.output<typeof packReply>> => {
  const contents = pack.contents.map(decodedContent);
  const inPack = new Map(contents.map((bytes) => [contentSha256(bytes), foundContent(bytes)]));
  const directories = pack.directories.map((wire, index) => checkedDirectory(directoryFrom(wire), index));
  const contentHashes = await stores.content.put(contents);
  await checkReferences(stores, { directories, inPack });
  const refs = await stores.trees.put(directories);
  return { contents: [...contentHashes], directories: refs.map(({ sha256 }) => sha256) };
};

const decodedContent = (text: string, index: number): Buffer => {
  const bytes = Buffer.from(text, "base64");
  if (bytes.toString("base64") === text) return bytes;
  throw new ValidationError({
    field: `/contents/${index}`,
    message: `/contents/${index} must be base64 (RFC 4648, with padding).`,
  });
};

const checkedDirectory = (directory: Directory, index: number): Directory => {
  try {
    checkDirectory(directory);
    return directory;
  } catch (error) {
    if (!(error instanceof ValidationError)) throw error;
    const field = `/directories/${index}/${error.field}`;
    throw new ValidationError({
      code: error.code,
      field,
      message: `${field}: ${error.message}`,
      cause: error,
    });
  }
};

/** What entries say of content; worked out once, however many name it. */
interface FoundContent {
  readonly gitBlobId: string;
  readonly sizeBytes: number;
  readonly bytes: Uint8Array;
}

const foundContent = (bytes: Uint8Array): FoundContent => ({
  gitBlobId: gitBlobId(bytes),
  sizeBytes: bytes.byteLength,
  bytes,
});

interface Reference {
  readonly field: string;
  readonly entry: DirectoryEntry;
}

const checkReferences = async (
  stores: TenantStores,
  pack: {
    readonly directories: readonly Directory[];
    readonly inPack: ReadonlyMap<string, FoundContent>;
  },
): Promise<void> => {
  const earlier = new Map<string, string>();
  const lacking: Reference[] = [];
  // By what is named: what thousands of entries name is read once.
  const outside = new Map<string, Reference[]>();
  for (const [index, directory] of pack.directories.entries()) {
    for (const [position, entry] of directory.entries.entries()) {
      const reference = { field: `/directories/${index}/entries/${position}`, entry };
      const known = entry.kind === "directory" ? earlier.get(entry.directory.sha256) : undefined;
      const found = entry.kind === "file" ? pack.inPack.get(entry.file.sha256) : undefined;
      if (known !== undefined) checkTreeId(reference, known);
      else if (found !== undefined) checkFile(reference, found);
      else {
        const named = `${entry.kind} ${entry.kind === "file" ? entry.file.sha256 : entry.directory.sha256}`;
        const references = outside.get(named) ?? [];
        references.push(reference);
        outside.set(named, references);
      }
    }
    const { sha256, gitTreeId } = directoryRef(directory);
    earlier.set(sha256, gitTreeId);
  }
  await mapBounded([...outside.values()], readsAtOnce, async (references) => {
    if (!(await checkStored(stores, references))) lacking.push(...references.slice(0, 1));
  });
  const [first] = lacking;
  if (first === undefined) return;
  throw contentMissing(first.field, {
    contents: [
      ...new Set(lacking.flatMap(({ entry }) => (entry.kind === "file" ? [entry.file.sha256] : []))),
    ],
    directories: [
      ...new Set(
        lacking.flatMap(({ entry }) => (entry.kind === "directory" ? [entry.directory.sha256] : [])),
      ),
    ],
  });
};

/** Whether what the entries all name is there; throws when it is something else than one of them says. */
const checkStored = async (stores: TenantStores, references: readonly Reference[]): Promise<boolean> => {
  const [first] = references;
  if (first === undefined) return true;
  const { entry } = first;
  if (entry.kind === "file") {
    const bytes = await loadContent(stores, entry.file.sha256);
    if (bytes === undefined) return false;
    const found = foundContent(bytes);
    for (const reference of references) checkFile(reference, found);
    return true;
  }
  try {
    const { gitTreeId } = directoryRef(await stores.trees.get(entry.directory.sha256));
    for (const reference of references) checkTreeId(reference, gitTreeId);
    return true;
  } catch (error) {
    if (error instanceof NotFoundError) return false;
    throw error;
  }
};

const checkTreeId = ({ field, entry }: Reference, gitTreeId: string): void => {
  if (entry.kind !== "directory" || entry.directory.gitTreeId === gitTreeId) return;
  throw mismatch(`${field}/gitId`, { expected: entry.directory.gitTreeId, found: gitTreeId });
};

const checkFile = ({ field, entry }: Reference, found: FoundContent): void => {
  if (entry.kind !== "file") return;
  if (found.gitBlobId !== entry.file.gitBlobId) {
    throw mismatch(`${field}/gitId`, { expected: entry.file.gitBlobId, found: found.gitBlobId });
  }
  if (found.sizeBytes !== entry.file.sizeBytes) {
    throw mismatch(`${field}/sizeBytes`, { expected: entry.file.sizeBytes, found: found.sizeBytes });
  }
  if (entry.file.mode === "120000" && leadsIntoGit(found.bytes)) {
    throw new ValidationError({
      code: "path_refused",
      field,
      message: `${field}: the symbolic link ${JSON.stringify(entry.name)} leads into .git, or a spelling that some file system takes for .git; leave it out.`,
      details: { reason: "git_directory" },
    });
  }
};

const mismatch = (
  field: string,
  values: { readonly expected: string | number; readonly found: string | number },
): ValidationError =>
  new ValidationError({
    code: "content_mismatch",
    field,
    message: `${field} is ${values.expected}, but the content has ${values.found}.`,
    details: values,
  });
