import type { Caller } from "../access/caller.ts";
import type { ResourceKind, ResourceRecord } from "../resource/resource-store.ts";
import type { LocalEntry, LocalFault, LocalItems, LocalWriteOutcome } from "../sync/local-items.ts";
import type { SyncItem } from "../sync/sync-item.ts";
import type { SyncKey } from "../sync/sync-transport.ts";
import type { ProjectPorts } from "./projects.ts";
import { deleteRevision, putRevision, type RevisionOutcome } from "./resource-revisions.ts";
import { itemOfRecord, itemRevisionContent } from "./synced-item.ts";

const pageSize = 1000;

/**
 * A tenant's resources as the local side of a sync, written for a caller. Every write is conditional on the revision that it was
 * decided upon; what is overwritten or deleted stays in the history, so no copies are kept. The other side's ids stand in the
 * bases, not in the items.
 */
export function tenantItems(options: {
  readonly ports: ProjectPorts;
  readonly caller: Caller;
  /** The other side's id of an item, as far as the bases tell it. */
  readonly serverIdOf: (key: SyncKey) => string | undefined;
  /** Of the other side: told with what is read here. */
  readonly faults: () => readonly LocalFault[];
  /** Before each write: throws where this run may not write any more. */
  readonly guard: () => Promise<void>;
  /** Brings what an item refers to and the tenant may lack. */
  readonly bring: (kind: ResourceKind, item: SyncItem) => Promise<void>;
}): LocalItems {
  const { ports, caller } = options;
  const { tenant } = caller;
  const { resources } = ports;

  const entryOf = (record: Omit<ResourceRecord, "body">): LocalEntry => ({
    kind: record.kind,
    id: record.id,
    place: `revision ${record.revision}`,
    version: record.version,
    contentSha256: record.contentSha256,
    serverId: options.serverIdOf(record),
  });

  const liveRecord = async (key: SyncKey): Promise<ResourceRecord | undefined> => {
    const record = await resources.get({ tenant, kind: key.kind, id: key.id });
    return record === undefined || record.deleted ? undefined : record;
  };

  const listed = async (kind: ResourceKind): Promise<readonly LocalEntry[]> => {
    const entries: LocalEntry[] = [];
    let cursor: string | undefined;
    do {
      const page = await resources.list({
        ...{ tenant, kind, limit: pageSize },
        ...(cursor === undefined ? {} : { cursor }),
      });
      entries.push(...page.resources.filter(({ deleted }) => !deleted).map(entryOf));
      cursor = page.cursor;
    } while (cursor !== undefined);
    return entries;
  };

  return {
    async read(kinds) {
      const entries: LocalEntry[] = [];
      for (const kind of kinds) entries.push(...(await listed(kind)));
      return { entries, faults: options.faults() };
    },
    async load(key) {
      const record = await liveRecord(key);
      return record === undefined ? undefined : { entry: entryOf(record), item: itemOfRecord(record) };
    },
    writeServerId: async () => "written",
    async write({ kind, item, expectedSha256 }) {
      // Of what is new here, the write itself tells whether somebody else was first.
      const live = expectedSha256 === undefined ? undefined : await liveRecord({ kind, id: item.id });
      if (live?.contentSha256 !== expectedSha256) return "changed";
      await options.bring(kind, item);
      const content = await itemRevisionContent(ports.storesOf(tenant), { kind, item });
      await options.guard();
      return outcomeOf(
        await putRevision(ports, {
          ...{ caller, kind, id: item.id },
          expectedRevision: live?.revision ?? 0,
          content: () => content,
        }),
      );
    },
    async remove({ kind, id, expectedSha256 }) {
      const live = await liveRecord({ kind, id });
      if (live === undefined) return "written";
      if (live.contentSha256 !== expectedSha256) return "changed";
      await options.guard();
      return outcomeOf(await deleteRevision(ports, { caller, kind, id, expectedRevision: live.revision }));
    },
  };
}

const outcomeOf = ({ kind }: RevisionOutcome): LocalWriteOutcome =>
  kind === "conflict" ? "changed" : "written";
