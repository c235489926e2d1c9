import { InfrastructureError, NotFoundError, PlanledgerError } from "../errors/planledger-error.ts";
import type { ResourceKind } from "../resource/resource-store.ts";
import type { LocalFault } from "../sync/local-items.ts";
import type { SyncBaseStore } from "../sync/sync-base-store.ts";
import type { SyncItem } from "../sync/sync-item.ts";
import { syncKeyText } from "../sync/sync-key-text.ts";
import type { SyncReadResult, SyncRow } from "../sync/sync-transport.ts";
import type { Directory } from "../tree/directory.ts";
import { directoryRef } from "../tree/directory-ref.ts";
import type { CatalogueAccess } from "./catalogue-access.ts";
import { fetched, resolvedUrl } from "./fetched.ts";
import type { SourceSide } from "./source-side.ts";

/** A file's bytes, or where they are. */
export type FileBytes = Uint8Array | { readonly url: string; readonly sizeBytes: number };

/** One item of a catalogue; of a project, the directories of its tree (subdirectories first) and its files by hash. */
export interface CatalogueEntry {
  readonly kind: ResourceKind;
  readonly id: string;
  readonly version: string;
  readonly contentSha256: string;
  readonly load: () => Promise<SyncItem>;
  readonly directories: readonly Directory[];
  readonly files: ReadonlyMap<string, FileBytes>;
}

export interface CatalogueContents {
  readonly entries: readonly CatalogueEntry[];
  readonly faults: readonly LocalFault[];
  /** Kinds of which there may be items that cannot be read and told apart. */
  readonly unsureKinds: ReadonlySet<ResourceKind>;
}

/** A catalogue knows no ids of its own, and no revisions. */
const serverId = "catalogue";
const revision = 1;

/**
 * A catalogue that was read as the server's side of a sync. What it had when both sides last agreed, and has no more, counts as
 * deleted there, as far as it can be read.
 */
export function catalogueSide(options: {
  readonly contents: CatalogueContents;
  readonly bases: Pick<SyncBaseStore, "load">;
  readonly access: CatalogueAccess;
  readonly url: URL;
}): SourceSide {
  const { contents, access, url } = options;
  const entries = new Map(contents.entries.map((entry) => [syncKeyText(entry), entry]));
  const faulty = new Set(
    contents.faults.flatMap(({ kind, id }) => (id === undefined ? [] : [`${kind} ${id}`])),
  );
  // Nothing is decided about an id that stands twice, or that cannot be read: so neither is it gone.
  const files = new Map(contents.entries.flatMap((entry) => [...entry.files]));
  const directories = new Map(
    contents.entries.flatMap((entry) =>
      entry.directories.map((directory) => [directoryRef(directory).sha256, directory] as const),
    ),
  );

  const tombstones = async (): Promise<readonly SyncRow[]> => {
    const known = await options.bases.load();
    return known.flatMap(({ kind, id, base: { base } }) => {
      const key = syncKeyText({ kind, id });
      if (base.kind !== "content" || entries.has(key) || faulty.has(key)) return [];
      if (contents.unsureKinds.has(kind)) return [];
      const { version, contentSha256 } = base;
      return [{ kind, id, serverId, revision, version, contentSha256, deleted: true }];
    });
  };

  const readOne = async (key: string): Promise<SyncReadResult> => {
    const entry = entries.get(key);
    if (entry === undefined) return { status: "gone", row: undefined };
    try {
      return { status: "found", row: rowOf(entry), item: await entry.load() };
    } catch (error) {
      if (!(error instanceof PlanledgerError) || error instanceof InfrastructureError) throw error;
      return { status: "refused", code: error.code, message: error.message };
    }
  };

  return {
    faults: contents.faults,
    transport: {
      list: async ({ kinds }) => ({
        rows: [...contents.entries.map(rowOf), ...(await tombstones())]
          .filter(({ kind }) => kinds.includes(kind))
          .sort((one, other) => (syncKeyText(one) < syncKeyText(other) ? -1 : 1)),
      }),
      async read(keys) {
        const results: SyncReadResult[] = [];
        for (const key of keys) results.push(await readOne(syncKeyText(key)));
        return results;
      },
      write: async (writes) =>
        writes.map(() => ({
          status: "refused",
          code: "read_only_resource",
          message: "A catalogue can only be read.",
        })),
    },
    trees: {
      async directory(sha256) {
        const found = directories.get(sha256);
        if (found !== undefined) return found;
        throw new NotFoundError({
          code: "content_missing",
          message: `The catalogue does not have the files of the tree ${sha256}: it lists none for the project.`,
          details: { sha256 },
        });
      },
      async content(sha256) {
        const found = files.get(sha256);
        if (found instanceof Uint8Array) return found;
        if (found === undefined) {
          throw new NotFoundError({
            code: "content_missing",
            message: `The catalogue has no file ${sha256}.`,
          });
        }
        return fetched(access, {
          from: resolvedUrl(found.url, url),
          ...{ sha256, limitBytes: found.sizeBytes },
        });
      },
    },
  };
}

const rowOf = ({ kind, id, version, contentSha256 }: CatalogueEntry): SyncRow => ({
  ...{ kind, id, serverId, revision, version, contentSha256 },
  deleted: false,
});
