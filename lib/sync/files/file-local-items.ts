import { posix } from "node:path";
import type { DirectoryFiles } from "../../apply/directory-files.ts";
import { nodeDirectoryFiles } from "../../apply/node-directory-files.ts";
import { ConflictError, ValidationError } from "../../errors/planledger-error.ts";
import type { ResourceKind } from "../../resource/resource-store.ts";
import { emptyTree } from "../../tree/empty-tree.ts";
import { itemContentSha256 } from "../item-content.ts";
import type { LocalEntry, LocalFault, LocalItems } from "../local-items.ts";
import type { SyncItem } from "../sync-item.ts";
import { syncKeyText } from "../sync-key-text.ts";
import type { SyncKey } from "../sync-transport.ts";
import { documentForm } from "./item-document.ts";
import { type FileReading, fileFault, readItemFile } from "./item-file.ts";
import { itemFileName } from "./item-file-name.ts";
import { folderOf, itemPaths } from "./item-paths.ts";
import { editItemText } from "./item-text.ts";
import { ownedFault } from "./owned-fault.ts";
import { projectDirectory } from "./project-directory.ts";
import { noProjectTrees, type ProjectTrees } from "./project-trees.ts";
import { workingFiles } from "./working-files.ts";

export interface FileLocalItemsOptions {
  /** Absolute, real path of the directory that holds `actions/`, `skills/`, `tools/` and `projects/`. */
  readonly root: string;
  /** What keeps the file trees of projects; without it projects are faults. */
  readonly trees?: ProjectTrees;
  readonly files?: DirectoryFiles;
}

export interface FileLocalItems extends LocalItems {
  /** Where the files of a project stand, relative to the root; `undefined` for one that is not here. */
  directoryOf(projectId: string): Promise<string | undefined>;
}

type Found = Extract<FileReading, { readonly status: "item" }> & {
  readonly path: string;
  readonly bytes: Uint8Array;
};

/**
 * Items in the files of a working copy: `actions/*.yaml`, `skills/NAME/SKILL.md`, `tools/*.yaml`, `projects/*.yaml`. A file is
 * replaced by rename, what does not change in it stays byte for byte, and nothing is read or written through a symbolic link.
 * Copies that `keepCopy` asks for stand below `.planledger/conflicts/`, by content. One process at a time may write.
 */
export function fileLocalItems({
  root,
  trees = noProjectTrees,
  files: disk = nodeDirectoryFiles(),
}: FileLocalItemsOptions): FileLocalItems {
  const files = workingFiles({ root, files: disk });
  // Where items stood when they were last looked for; only a hint, since people move files.
  const places = new Map<string, string>();
  const scanned = new Set<ResourceKind>();

  async function readFile(kind: ResourceKind, path: string): Promise<Found | LocalFault | undefined> {
    try {
      const bytes = await files.read(path);
      if (bytes === undefined) return undefined;
      const reading = await readItemFile({ kind, path, bytes }, trees);
      return reading.status === "fault" ? reading.fault : { ...reading, path, bytes };
    } catch (error) {
      return fileFault({ kind, path, error: ownedFault(error, path) });
    }
  }

  /** All files of a kind, one after another: whoever holds on to what it gives holds the documents of all items. */
  async function* scan(kind: ResourceKind): AsyncGenerator<Found | LocalFault> {
    let paths: readonly string[];
    try {
      paths = await itemPaths(kind, files);
    } catch (error) {
      yield fileFault({ kind, path: kind, error: ownedFault(error, kind) });
      return;
    }
    for (const path of paths) {
      const found = await readFile(kind, path);
      if (isFound(found)) places.set(syncKeyText(found.entry), path);
      if (found !== undefined) yield found;
    }
    scanned.add(kind);
  }

  async function find(key: SyncKey): Promise<Found | undefined> {
    const hint = places.get(syncKeyText(key));
    if (hint !== undefined) {
      const found = await readFile(key.kind, hint);
      if (isFound(found) && found.entry.id === key.id) return found;
    }
    let first: Found | undefined;
    for await (const found of scan(key.kind)) {
      if (isFound(found) && found.entry.id === key.id) first ??= found;
    }
    return first;
  }

  /** The edited file, which must say just what is wanted when it is read again. */
  async function edited(
    kind: ResourceKind,
    order: {
      readonly path: string;
      readonly before: Pick<Found, "bytes" | "document"> | undefined;
      readonly item: SyncItem;
      readonly serverId: string;
    },
  ): Promise<Uint8Array> {
    const { path, before, item, serverId } = order;
    const said = before?.document ?? {};
    const { tree, ...withoutTree } = item;
    const fileItem: SyncItem = kind === "projects" ? withoutTree : item;
    const document = documentForm(kind).document(fileItem, {
      serverId,
      folder: folderOf(path),
      before: said,
    });
    const directory =
      kind === "projects" ? (before === undefined ? newDirectory(path) : said.directory) : undefined;
    const { instructions } = item;
    const bytes = editItemText(kind, before?.bytes ?? new Uint8Array(), {
      document: directory === undefined ? document : { ...document, directory },
      instructions: typeof instructions === "string" ? instructions : undefined,
    });
    const again = await readItemFile({ kind, path, bytes }, { hash: async () => String(tree) });
    const kept =
      again.status === "item" &&
      again.entry.serverId === serverId &&
      again.entry.contentSha256 === itemContentSha256(item);
    if (kept) return bytes;
    throw new ValidationError({
      field: "id",
      message: `${path} cannot hold this ${kind.slice(0, -1)} as the service has it: ${again.status === "fault" ? again.fault.reason : "read again it would be another"}. Nothing was written.`,
    });
  }

  const keep = (found: Found): Promise<void> => files.write(`${copiesOf(found)}/${found.path}`, found.bytes);

  /** Where a new item goes; `undefined` when a file with its id has come there meanwhile. */
  async function newPath(key: SyncKey): Promise<string | undefined> {
    let path = "";
    for (const distinct of [false, true]) {
      const name = itemFileName(key.id, { distinct });
      path = key.kind === "skills" ? `skills/${name}/SKILL.md` : `${key.kind}/${name}.yaml`;
      if (!(await files.exists(path))) return path;
      const there = await occupant(key, path);
      if (there === key.id) return undefined;
      if (there !== undefined && sameWithoutCase(there, key.id)) {
        throw new ConflictError({
          code: "path_exists",
          message: `${path} would hold ${key.id}, but this disk takes that for the file of ${there}: their ids differ only in case, and it cannot hold both. Rename one of them, or sync on a disk that tells case apart.`,
          details: { path, found: there },
        });
      }
    }
    throw new ConflictError({
      code: "path_exists",
      message: `There are files already where ${key.id} would be written, ${path} the last of them; move them away.`,
      details: { path },
    });
  }

  const occupant = async ({ kind }: SyncKey, path: string): Promise<string | undefined> => {
    const found = await readFile(kind, path);
    return isFound(found) ? found.entry.id : undefined;
  };

  /** What the disk refuses about one file is that item's problem. */
  const owned = async <Result>(key: SyncKey, act: () => Promise<Result>): Promise<Result> => {
    try {
      return await act();
    } catch (error) {
      throw ownedFault(error, places.get(syncKeyText(key)) ?? `${key.kind} ${key.id}`);
    }
  };

  return {
    async read(kinds) {
      const entries: LocalEntry[] = [];
      const faults: LocalFault[] = [];
      for (const kind of kinds) {
        for await (const found of scan(kind)) {
          if (isFound(found)) entries.push(found.entry);
          else faults.push(found);
        }
      }
      return { entries, faults };
    },
    async load(key) {
      const found = await find(key);
      return found === undefined ? undefined : { entry: found.entry, item: found.item };
    },
    writeServerId: ({ serverId, ...key }) =>
      owned(key, async () => {
        const found = await find(key);
        if (found === undefined) return "changed";
        const { path, item } = found;
        const bytes = await edited(key.kind, { path, before: found, item, serverId });
        if (!Buffer.from(bytes).equals(found.bytes)) await files.write(path, bytes);
        return "written";
      }),
    write({ kind, item, serverId, expectedSha256, keepCopy }) {
      const key = { kind, id: item.id };
      return owned(key, async () => {
        const known = places.has(syncKeyText(key)) || !scanned.has(kind);
        const before = known ? await find(key) : undefined;
        if (before?.entry.contentSha256 !== expectedSha256) return "changed";
        const path = before?.path ?? (await newPath(key));
        if (path === undefined) return "changed";
        const bytes = await edited(kind, { path, before, item, serverId });
        if (before !== undefined && keepCopy) await keep(before);
        if (kind === "projects" && before?.item.tree !== item.tree) {
          await trees.apply({
            directory: projectDirectory(before?.document ?? { directory: newDirectory(path) }),
            from: before === undefined ? undefined : String(before.item.tree),
            to: String(item.tree ?? emptyTree.sha256),
            definition: { path, before: before?.bytes, after: bytes },
            keepIn: before !== undefined && keepCopy ? copiesOf(before) : undefined,
          });
        } else {
          await files.write(path, bytes);
        }
        places.set(syncKeyText(key), path);
        return "written";
      });
    },
    remove: ({ expectedSha256, keepCopy, ...key }) =>
      owned(key, async () => {
        const found = await find(key);
        if (found === undefined) return "written";
        if (found.entry.contentSha256 !== expectedSha256) return "changed";
        if (keepCopy) await keep(found);
        await files.remove(found.path);
        if (key.kind === "skills") await files.removeEmptyDirectory(`skills/${folderOf(found.path)}`);
        places.delete(syncKeyText(key));
        return "written";
      }),
    async directoryOf(projectId) {
      const found = await find({ kind: "projects", id: projectId });
      return found === undefined ? undefined : projectDirectory(found.document);
    },
  };
}

/** Where the copies of an item's content stand: named by it, so that a second copy of the same is the same. */
const copiesOf = ({ entry }: Found): string => `.planledger/conflicts/${entry.contentSha256.slice(0, 12)}`;

/** Of a project that comes from the service: a directory of its file's name. */
const newDirectory = (path: string): string => posix.basename(path, ".yaml");

const isFound = (found: Found | LocalFault | undefined): found is Found =>
  found !== undefined && "entry" in found;

const sameWithoutCase = (one: string, other: string): boolean =>
  one.toLowerCase() === other.toLowerCase() || one.toUpperCase() === other.toUpperCase();
