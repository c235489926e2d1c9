import { PlanledgerError, ValidationError } from "../errors/planledger-error.ts";
import type { ResourceKind } from "../resource/resource-store.ts";
import { readLocalItem } from "./local-entry.ts";
import type { LocalItems, LocalWriteOutcome } from "./local-items.ts";
import type { SyncItem } from "./sync-item.ts";
import { syncKeyText } from "./sync-key-text.ts";
import type { SyncKey } from "./sync-transport.ts";

/** What `keepCopy` kept, oldest first. */
export interface KeptCopy extends SyncKey {
  readonly item: SyncItem;
}

/**
 * Items in arrays of the caller's, one a kind, which are changed in place as files would be: an item's metadata gets the
 * server's id, pulled items replace what they change or stand at the end, deleted ones are taken out. `kept` gets the content
 * that a resolved conflict overwrote.
 */
export function memoryLocalItems(
  arrays: Readonly<Partial<Record<ResourceKind, unknown[]>>>,
  kept: KeptCopy[] = [],
): LocalItems {
  const itemsOf = (kind: ResourceKind): unknown[] => arrays[kind] ?? [];

  const at = (kind: ResourceKind, index: number) => ({
    index,
    ...readLocalItem(kind, { place: `${kind}[${index}]`, document: itemsOf(kind)[index] }),
  });
  const readings = (kind: ResourceKind) => itemsOf(kind).map((_, index) => at(kind, index));

  // Where items stood when they were last looked for; only a hint, since the arrays are the caller's.
  const positions = new Map<string, number>();

  const standsAt = (key: SyncKey, index: number | undefined) => {
    if (index === undefined || index >= itemsOf(key.kind).length) return undefined;
    const reading = at(key.kind, index);
    return reading.status === "item" && reading.entry.id === key.id ? reading : undefined;
  };

  const found = (key: SyncKey) => {
    const hinted = standsAt(key, positions.get(syncKeyText(key)));
    if (hinted !== undefined) return hinted;
    const index = itemsOf(key.kind).findIndex((document) => documentId(document) === key.id);
    positions.set(syncKeyText(key), index);
    return standsAt(key, index < 0 ? undefined : index);
  };

  const keep = (key: SyncKey, change: { readonly item: SyncItem; readonly keepCopy: boolean }) => {
    if (change.keepCopy) kept.push({ kind: key.kind, id: key.id, item: structuredClone(change.item) });
  };

  return {
    async read(kinds) {
      const all = kinds.flatMap(readings);
      for (const reading of all) {
        if (reading.status === "item") positions.set(syncKeyText(reading.entry), reading.index);
      }
      return {
        entries: all.flatMap((reading) => (reading.status === "item" ? [reading.entry] : [])),
        faults: all.flatMap((reading) => (reading.status === "fault" ? [reading.fault] : [])),
      };
    },
    async load(key) {
      const reading = found(key);
      return reading === undefined
        ? undefined
        : { entry: reading.entry, item: structuredClone(reading.item) };
    },
    async writeServerId({ serverId, ...key }) {
      const reading = found(key);
      if (reading === undefined) return "changed";
      const document: unknown = itemsOf(key.kind)[reading.index];
      const metadata: unknown =
        typeof document === "object" && document !== null ? Reflect.get(document, "metadata") : undefined;
      const noted =
        typeof metadata === "object" && metadata !== null && Reflect.set(metadata, "serverId", serverId);
      if (!noted) {
        throw new ValidationError({
          field: "metadata",
          message: `${reading.entry.place}: metadata is frozen, so the server's id cannot be noted in it.`,
        });
      }
      return "written";
    },
    async write({ kind, item, serverId, expectedSha256, keepCopy }): Promise<LocalWriteOutcome> {
      const key = { kind, id: item.id };
      const reading = found(key);
      if (reading?.entry.contentSha256 !== expectedSha256) return "changed";
      if (reading !== undefined) keep(key, { item: reading.item, keepCopy });
      const written = { ...structuredClone(item), metadata: { ...structuredClone(item.metadata), serverId } };
      const items = arrays[kind];
      if (items === undefined) {
        throw new PlanledgerError({
          code: "internal",
          message: `there is no array for ${kind} to pull into`,
        });
      }
      if (reading === undefined) items.push(written);
      else items[reading.index] = written;
      return "written";
    },
    async remove({ expectedSha256, keepCopy, ...key }) {
      const reading = found(key);
      if (reading === undefined) return "written";
      if (reading.entry.contentSha256 !== expectedSha256) return "changed";
      keep(key, { item: reading.item, keepCopy });
      itemsOf(key.kind).splice(reading.index, 1);
      return "written";
    },
  };
}

function documentId(document: unknown): string | undefined {
  const id: unknown =
    typeof document === "object" && document !== null ? Reflect.get(document, "id") : undefined;
  return typeof id === "string" ? id.normalize("NFC") : undefined;
}
