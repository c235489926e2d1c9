import { parseStrictJson } from "../canonical/parse-strict-json.ts";
import { treeDirectories } from "../client/tree-directories.ts";
import { type ByteBoundedCache, byteBoundedCache } from "../content/byte-bounded-cache.ts";
import { contentSha256, contentState } from "../content/content-state.ts";
import { mapBounded } from "../content/map-bounded.ts";
import { InfrastructureError, PlanledgerError, ValidationError } from "../errors/planledger-error.ts";
import { type ResourceKind, resourceKinds } from "../resource/resource-store.ts";
import { readLocalItem } from "../sync/local-entry.ts";
import type { LocalFault } from "../sync/local-items.ts";
import type { SyncItem } from "../sync/sync-item.ts";
import type { CatalogueAccess } from "./catalogue-access.ts";
import {
  type CatalogueFile,
  type CatalogueItem,
  catalogueLimits,
  parseCatalogue,
  readEntry,
} from "./catalogue-document.ts";
import type { CatalogueContents, CatalogueEntry, FileBytes } from "./catalogue-side.ts";
import { fetched, mismatch, resolvedUrl } from "./fetched.ts";
import type { SeenCatalogue } from "./sync-source.ts";

/** Of one document, as of every item of a sync. */
const documentBytes = 1024 * 1024;
const documentsAtOnce = 4;
const heldDocumentBytes = 16 * 1024 * 1024;

export type OpenedCatalogue =
  /** It is as it was seen. */
  | { readonly kind: "unchanged" }
  | { readonly kind: "read"; readonly seen: SeenCatalogue; readonly contents: CatalogueContents };

interface Opening {
  readonly access: CatalogueAccess;
  readonly url: URL;
  readonly kinds: readonly ResourceKind[];
  readonly seen: SeenCatalogue | undefined;
  /** Content hashes of documents by the hashes of their bytes, so that only new ones are fetched. */
  readonly known: ReadonlyMap<string, string>;
  readonly remember: (found: ReadonlyMap<string, string>) => Promise<void>;
}

/**
 * Reads a catalogue, unless it is as it was seen: one conditional request then. Documents elsewhere are fetched where their
 * content is not known yet by the hash of their bytes. What is wrong with an entry is a fault of that entry; what may be
 * different later ends the reading.
 */
export async function openCatalogue(opening: Opening): Promise<OpenedCatalogue> {
  const { access, url, seen } = opening;
  const reply = await access.get(url, { limitBytes: catalogueLimits.bytes, etag: seen?.etag });
  if (reply.status === "unchanged") return { kind: "unchanged" };
  const sha256 = contentSha256(reply.bytes);
  if (sha256 === seen?.sha256) return { kind: "unchanged" };
  const values = parseCatalogue(reply.bytes);
  const cache = byteBoundedCache<SyncItem>(heldDocumentBytes);
  const found = new Map<string, string>();
  const read = await rememberedAfter({ ...opening, found }, () =>
    mapBounded([...values.entries()], documentsAtOnce, ([index, value]) =>
      entryOf({ ...opening, cache, found }, { place: `items[${index}]`, value }),
    ),
  );
  return {
    kind: "read",
    seen: { sha256, ...(reply.etag === undefined ? {} : { etag: reply.etag }) },
    contents: distinct(read.flatMap((one) => one ?? [])),
  };
}

/** What was fetched is remembered, also when the reading is broken off: the next one goes on from there. */
const rememberedAfter = async <Result>(
  { found, remember }: Pick<Reading, "found" | "remember">,
  read: () => Promise<Result>,
): Promise<Result> => {
  try {
    const result = await read();
    await remember(found);
    return result;
  } catch (error) {
    await remember(found).catch(() => undefined);
    throw error;
  }
};

type Reading = Opening & {
  readonly cache: ByteBoundedCache<SyncItem>;
  readonly found: Map<string, string>;
};
type Read =
  | { readonly entry: CatalogueEntry }
  /** `unsure`: kinds of which it may be any item. */
  | { readonly fault: LocalFault; readonly unsure: readonly ResourceKind[] };

const entryOf = async (
  reading: Reading,
  { place, value }: { readonly place: string; readonly value: unknown },
): Promise<Read | undefined> => {
  const parsed = readEntry(value);
  if (parsed.status === "fault") return unreadable(reading, { place, value, ...parsed });
  const { item } = parsed;
  if (!reading.kinds.includes(item.kind)) return undefined;
  const id = "document" in item ? textMember(item.document, "id") : item.id;
  try {
    return "document" in item
      ? await inlineEntry(item, place)
      : { entry: await linkedEntry(reading, item, place) };
  } catch (error) {
    if (!(error instanceof PlanledgerError) || error instanceof InfrastructureError) throw error;
    const field = error instanceof ValidationError ? { field: error.field } : {};
    const known = id === undefined ? {} : { id: id.normalize("NFC") };
    return {
      fault: {
        kind: item.kind,
        item: `${id ?? ""} (${place})`.trim(),
        ...known,
        reason: error.message,
        ...field,
      },
      unsure: id === undefined ? [item.kind] : [],
    };
  }
};

/** An entry that says no kind, or none that there is, may be of any; it is told as one of the first. */
const unreadable = (
  { kinds }: Reading,
  entry: { readonly place: string; readonly value: unknown; readonly field: string; readonly reason: string },
): Read | undefined => {
  const { place, value, field, reason } = entry;
  const said = textMember(value, "kind");
  const kind = kinds.find((one) => one === said);
  const document: unknown =
    typeof value === "object" && value !== null ? Reflect.get(value, "document") : undefined;
  const id = textMember(value, "id") ?? textMember(document, "id");
  // Of a kind that is not synced.
  if (kind === undefined && resourceKinds.some((one) => one === said)) return undefined;
  const told = kind ?? kinds[0];
  if (told === undefined) return undefined;
  const known = kind === undefined || id === undefined ? {} : { id: id.normalize("NFC") };
  return {
    fault: { kind: told, item: id === undefined ? place : `${id} (${place})`, ...known, reason, field },
    unsure: kind === undefined ? kinds : id === undefined ? [kind] : [],
  };
};

type Inline = Extract<CatalogueItem, { readonly document: unknown }>;
type Linked = Exclude<CatalogueItem, Inline>;

const inlineEntry = async ({ kind, document, files }: Inline, place: string): Promise<Read> => {
  const made = await withFiles({ kind, document, files });
  const reading = readLocalItem(kind, { place, document: made.document });
  if (reading.status === "fault") {
    return { fault: reading.fault, unsure: reading.fault.id === undefined ? [kind] : [] };
  }
  const { item, entry } = reading;
  return {
    entry: {
      ...{ kind, id: entry.id, version: entry.version, contentSha256: entry.contentSha256 },
      load: async () => structuredClone(item),
      directories: made.directories,
      files: made.files,
    },
  };
};

const linkedEntry = async (reading: Reading, linked: Linked, place: string): Promise<CatalogueEntry> => {
  const { kind, id, version, sha256 } = linked;
  const load = () => loadLinked(reading, linked, place);
  // What a project's content is depends on its files too.
  const known = kind === "projects" ? undefined : reading.known.get(sha256);
  if (known !== undefined)
    return { kind, id, version, contentSha256: known, load, directories: [], files: new Map() };
  const { directories, files } = await withFiles({ kind, document: {}, files: linked.files });
  const { contentSha256: hash } = entryFields(kind, { document: await load(), place });
  if (kind !== "projects") reading.found.set(sha256, hash);
  return { kind, id, version, contentSha256: hash, load, directories, files };
};

const entryFields = (
  kind: ResourceKind,
  given: { readonly document: unknown; readonly place: string },
): { readonly item: SyncItem; readonly contentSha256: string } => {
  const read = readLocalItem(kind, given);
  if (read.status === "item") return { item: read.item, contentSha256: read.entry.contentSha256 };
  throw new ValidationError({ field: read.fault.field ?? "", message: read.fault.reason });
};

/** A document that stands elsewhere, held to what the catalogue says of it. */
const loadLinked = async (
  { access, url, cache }: Reading,
  { kind, id, version, sha256, files, ...linked }: Linked,
  place: string,
): Promise<SyncItem> => {
  const key = `${kind} ${id} ${sha256}`;
  const held = cache.get(key);
  if (held !== undefined) return structuredClone(held);
  const from = resolvedUrl(linked.url, url);
  const bytes = await fetched(access, { from, sha256, limitBytes: documentBytes });
  const { document } = await withFiles({ kind, document: parseStrictJson(bytes), files });
  const { item } = entryFields(kind, { document, place });
  if (item.id !== id || item.version !== version) {
    throw mismatch(
      `${from.href.slice(0, 300)} is ${item.id} in version ${item.version}; the catalogue says ${id} in version ${version}`,
    );
  }
  cache.set(key, item, bytes.byteLength);
  return structuredClone(item);
};

interface WithFiles {
  readonly document: unknown;
  readonly directories: CatalogueEntry["directories"];
  readonly files: CatalogueEntry["files"];
}

/** A project's document with the tree that its files make. */
const withFiles = async (given: {
  readonly kind: ResourceKind;
  readonly document: unknown;
  readonly files: readonly CatalogueFile[] | undefined;
}): Promise<WithFiles> => {
  const { kind, document, files } = given;
  if (files === undefined) return { document, directories: [], files: new Map() };
  if (kind !== "projects") {
    throw new ValidationError({
      field: "files",
      message: `Only projects have files, and this is one of ${kind}.`,
    });
  }
  const states = files.map((file) => ({ path: file.path, ...stateOf(file) }));
  const { root, directories } = await treeDirectories(states);
  const said = textMember(document, "tree");
  if (said !== undefined && said !== root.sha256) {
    throw mismatch(`the document's tree is ${said}, but its files make ${root.sha256}`);
  }
  const isObject = typeof document === "object" && document !== null && !Array.isArray(document);
  return {
    document: isObject ? { ...document, tree: root.sha256 } : document,
    directories,
    files: new Map(states.map(({ file, bytes }) => [file.sha256, bytes])),
  };
};

const stateOf = (file: CatalogueFile) => {
  if ("url" in file) {
    const { sha256, sizeBytes, mode, gitBlobId, url } = file;
    return { file: { sha256, sizeBytes, mode, gitBlobId }, bytes: { url, sizeBytes } satisfies FileBytes };
  }
  const bytes = "text" in file ? Buffer.from(file.text) : Buffer.from(file.base64, "base64");
  return { file: contentState(bytes, file.mode), bytes: bytes satisfies FileBytes };
};

const textMember = (value: unknown, member: string): string | undefined => {
  if (typeof value !== "object" || value === null) return undefined;
  const found: unknown = Reflect.get(value, member);
  return typeof found === "string" && found !== "" ? found : undefined;
};

/** Nothing is decided about an id that stands twice. */
const distinct = (read: readonly Read[]): CatalogueContents => {
  const faults = read.flatMap((one) => ("fault" in one ? [one.fault] : []));
  const entries = new Map<string, CatalogueEntry>();
  const twice = new Set<string>();
  for (const one of read) {
    if (!("entry" in one)) continue;
    const key = `${one.entry.kind} ${one.entry.id}`;
    if (entries.has(key)) twice.add(key);
    entries.set(key, one.entry);
  }
  const unsure = read.flatMap((one) => ("fault" in one ? one.unsure : []));
  const faulty = new Set(faults.flatMap(({ kind, id }) => (id === undefined ? [] : [`${kind} ${id}`])));
  return {
    unsureKinds: new Set(unsure),
    entries: [...entries].flatMap(([key, entry]) => (twice.has(key) || faulty.has(key) ? [] : [entry])),
    faults: [
      ...faults,
      ...[...entries].flatMap(([key, { kind, id }]): LocalFault[] =>
        twice.has(key)
          ? [
              {
                kind,
                id,
                item: id,
                field: "id",
                reason: `the catalogue has ${id} more than once; an id may stand in it once`,
              },
            ]
          : [],
      ),
    ],
  };
};
