import * as z from "zod/mini";
import { nodeDirectoryFiles } from "../../apply/node-directory-files.ts";
import { resourceKinds } from "../../resource/resource-store.ts";
import type { SyncBaseChange, SyncBaseStore } from "../sync-base-store.ts";
import { syncKeyText } from "../sync-key-text.ts";
import { type WorkingFiles, workingFiles } from "./working-files.ts";

const path = ".planledger/sync.json";
const versioned = { version: z.string(), contentSha256: z.string() };

const storedBase = z.strictObject({
  kind: z.enum(resourceKinds),
  id: z.string(),
  base: z.strictObject({
    base: z.discriminatedUnion("kind", [
      z.strictObject({ kind: z.literal("unknown") }),
      z.strictObject({ kind: z.literal("absent") }),
      z.strictObject({ kind: z.literal("content"), serverId: z.string(), ...versioned }),
    ]),
    intents: z.array(
      z.discriminatedUnion("kind", [
        z.strictObject({ kind: z.literal("absent") }),
        z.strictObject({ kind: z.literal("removed") }),
        z.strictObject({ kind: z.literal("content"), ...versioned }),
        z.strictObject({ kind: z.literal("pulled"), serverId: z.string(), ...versioned }),
      ]),
    ),
  }),
});
const storedBases = z.strictObject({ v: z.literal(1), servers: z.record(z.string(), z.array(storedBase)) });
type Servers = z.output<typeof storedBases>["servers"];

export interface FileSyncBaseStore extends SyncBaseStore {
  /** Ids that the other servers of this working copy gave to its items. */
  otherServerIds(): Promise<ReadonlySet<string>>;
}

/**
 * The bases of a working copy, by the URL of the server, in `.planledger/sync.json`; replaced by rename. A file that cannot be
 * read is told through `onDamaged` and taken as lost: it is set aside as `sync.json.damaged` when bases are next saved.
 */
export function fileSyncBaseStore(options: {
  readonly root: string;
  readonly url: string;
  readonly onDamaged: (message: string) => void;
}): FileSyncBaseStore {
  const files = workingFiles({ root: options.root, files: nodeDirectoryFiles() });
  const server = normalUrl(options.url);
  let opened: Promise<OpenedBases> | undefined;
  const open = () => {
    opened ??= read(files, options.onDamaged);
    return opened;
  };

  return {
    async load() {
      opened = undefined;
      const { servers } = await open();
      return servers.get(server) ?? [];
    },
    async otherServerIds() {
      const { servers } = await open();
      const others = [...servers].flatMap(([url, bases]) => (url === server ? [] : bases));
      return new Set(
        others.flatMap(({ base: { base } }) => (base.kind === "content" ? [base.serverId] : [])),
      );
    },
    async save(changes) {
      if (changes.length === 0) return;
      const { servers, damaged } = await open();
      if (damaged !== undefined) await files.write(`${path}.damaged`, damaged);
      const bases = new Map((servers.get(server) ?? []).map((base) => [syncKeyText(base), base]));
      for (const change of changes) bases.set(syncKeyText(change), change);
      const next = new Map([...servers, [server, [...bases.values()]] as const]);
      const text = JSON.stringify({ v: 1, servers: Object.fromEntries(next) });
      await files.write(path, Buffer.from(`${text}\n`));
      opened = Promise.resolve({ servers: next, damaged: undefined });
    },
  };
}

interface OpenedBases {
  readonly servers: ReadonlyMap<string, readonly SyncBaseChange[]>;
  readonly damaged: Uint8Array | undefined;
}

async function read(files: WorkingFiles, onDamaged: (message: string) => void): Promise<OpenedBases> {
  const bytes = await files.read(path);
  if (bytes === undefined) return { servers: new Map(), damaged: undefined };
  const servers = parsed(bytes);
  if (servers !== undefined) return { servers: new Map(Object.entries(servers)), damaged: undefined };
  onDamaged(
    `${path} is damaged, so what both sides last agreed on is lost: items that differ are conflicts this time. Once something is saved, the file is set aside as ${path}.damaged.`,
  );
  return { servers: new Map(), damaged: bytes };
}

function parsed(bytes: Uint8Array): Servers | undefined {
  try {
    const result = storedBases.safeParse(JSON.parse(Buffer.from(bytes).toString()));
    return result.success ? result.data.servers : undefined;
  } catch {
    return undefined;
  }
}

/** One server, however its URL is written. */
const normalUrl = (url: string): string => (URL.parse(url)?.href ?? url).replace(/\/+$/, "");
