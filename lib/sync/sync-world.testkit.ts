import type { ResourceKind } from "../resource/resource-store.ts";
import { itemContentSha256 } from "./item-content.ts";
import { type KeptCopy, memoryLocalItems } from "./memory-local-items.ts";
import { memorySyncBaseStore } from "./memory-sync-base-store.ts";
import {
  type MemorySyncServer,
  type MemorySyncServerOptions,
  memorySyncServer,
} from "./memory-sync-server.testkit.ts";
import { runSync, type SyncOrder, type SyncPorts } from "./run-sync.ts";
import { noSyncContent } from "./sync-content.ts";
import { type Fuse, type FusedPorts, fusedPorts, Killed } from "./sync-fuse.testkit.ts";
import { parseSyncItem, type SyncItem } from "./sync-item.ts";
import type { SyncResult } from "./sync-result.ts";

export interface MutableItem {
  id: string;
  name: string;
  version: string;
  metadata: Record<string, unknown>;
  text: string;
}

/** One working copy, one server and what the copy knows of it, all in memory. */
export interface SyncWorld {
  readonly server: MemorySyncServer;
  readonly items: Record<ResourceKind, MutableItem[]>;
  readonly kept: KeptCopy[];
  readonly ports: SyncPorts;
}

export function syncWorld(options: MemorySyncServerOptions = {}): SyncWorld {
  const server = memorySyncServer(options);
  const items: Record<ResourceKind, MutableItem[]> = { actions: [], skills: [], tools: [], projects: [] };
  const kept: KeptCopy[] = [];
  return {
    server,
    items,
    kept,
    ports: {
      transport: server,
      local: memoryLocalItems(items, kept),
      bases: memorySyncBaseStore(),
      content: noSyncContent,
      delay: async () => undefined,
      random: () => 0.5,
    },
  };
}

export const testItem = (id: string, fields: Partial<MutableItem> = {}): MutableItem => ({
  id,
  name: id,
  version: "1.0",
  metadata: {},
  text: `what ${id} says`,
  ...fields,
});

/** An item as it travels: a copy without the server's id. */
export function bare(item: MutableItem): SyncItem {
  const parsed = parseSyncItem(structuredClone(item));
  if (parsed.kind === "invalid") throw new TypeError(parsed.reason);
  return parsed.item;
}

export const pushRules: SyncOrder = {
  kinds: ["actions", "skills", "tools", "projects"],
  policy: "manual",
  direction: "push",
  prune: false,
  force: false,
  dryRun: false,
};

/** One sync of a world that nothing disturbs. */
export async function sync(
  world: SyncWorld,
  rules: Partial<SyncOrder> = {},
): Promise<SyncResult & { readonly ports: FusedPorts }> {
  const ports = fusedPorts(world.ports);
  return { ...(await runSync(ports, { ...pushRules, ...rules })), ports };
}

/** A sync that is killed; `false` when it was over before. */
export async function killedSync(world: SyncWorld, rules: Partial<SyncOrder>, fuse: Fuse): Promise<boolean> {
  try {
    await runSync(fusedPorts(world.ports, fuse), { ...pushRules, ...rules });
    return false;
  } catch (error) {
    if (error instanceof Killed) return true;
    throw error;
  }
}

/** Everything that both sides hold, as plain data. */
export function picture({ server, items, kept }: SyncWorld): unknown {
  const sorted = Object.entries(items).map(([kind, list]) => [
    kind,
    [...list].sort((one, other) => (one.id < other.id ? -1 : 1)),
  ]);
  const histories = server.keys.map((key) => ({
    key,
    revisions: server.history(key).map(({ row }) => row),
  }));
  histories.sort((one, other) => (JSON.stringify(one.key) < JSON.stringify(other.key) ? -1 : 1));
  const copies = kept.map(({ kind, id, item }) => `${kind} ${id} ${itemContentSha256(item)}`);
  return structuredClone({ sorted, histories, copies: [...new Set(copies)].sort() });
}

/** Every content that can be read somewhere: here, in a kept copy, or in the server's history. */
export function readable({ server, items, kept }: SyncWorld): ReadonlySet<string> {
  const here = Object.entries(items).flatMap(([kind, list]) =>
    list.map((item) => `${kind} ${itemContentSha256(bare(item))}`),
  );
  const there = server.keys.flatMap((key) =>
    server.history(key).map(({ row }) => `${key.kind} ${row.contentSha256}`),
  );
  return new Set([...here, ...there, ...kept.map(({ kind, item }) => `${kind} ${itemContentSha256(item)}`)]);
}

/** What stands on each side now, by kind and id. */
export function standing({ server, items }: SyncWorld): {
  readonly here: Readonly<Record<string, string>>;
  readonly there: Readonly<Record<string, string>>;
} {
  const here = Object.entries(items).flatMap(([kind, list]) =>
    list.map((item) => [`${kind} ${item.id.normalize("NFC")}`, itemContentSha256(bare(item))] as const),
  );
  const there = server.keys.flatMap((key) => {
    const row = server.history(key).at(-1)?.row;
    return row === undefined || row.deleted ? [] : [[`${key.kind} ${key.id}`, row.contentSha256] as const];
  });
  return { here: Object.fromEntries(here.sort()), there: Object.fromEntries(there.sort()) };
}
