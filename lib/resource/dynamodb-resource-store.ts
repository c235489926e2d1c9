import { isDeepStrictEqual } from "node:util";
import type { DynamoDBClient } from "@aws-sdk/client-dynamodb";
import * as z from "zod/mini";
import { ValidationError } from "../errors/planledger-error.ts";
import { dynamodbTable } from "../table/dynamodb-table.ts";
import { numberAttribute, requireVersion, textAttribute } from "../table/item-attributes.ts";
import { packJson, unpackJson } from "../table/packed-json.ts";
import { type ContentOfTenant, spillAboveBytes, spillBytes, unspillBytes } from "../table/spilled-bytes.ts";
import type { TableItem } from "../table/table-item.ts";
import { resourceSortKey, resourcesPartition, revisionKey } from "../table/table-keys.ts";
import {
  type ResourceKey,
  type ResourceRecord,
  type ResourceStore,
  resourceKinds,
} from "./resource-store.ts";

type Summary = Omit<ResourceRecord, "body">;

const storedBody = z.record(z.string(), z.unknown());
const storedKind = z.enum(resourceKinds);

const dictionary =
  '"effect":"workspace"external"read","inputSchema":{"type":"object","properties":{"type":"string","description":"required":[],' +
  '"additionalProperties":false},"instructions":"tools":["metadata":{"id":"version":"1"},"name":"{"tree":"gitTreeId":"settings":{}}';

/**
 * Resources on DynamoDB: every revision an item of its own, written once, and one small item a resource that says which
 * revision is the latest, without the body, so that a listing reads little. A revision counts from the moment when that
 * item moves to it. A writer that dies in between leaves a revision that nobody sees; the next writer of that number
 * finishes the move for the dead one and is told that somebody else was first. A new resource costs two requests.
 */
export function dynamodbResourceStore(options: {
  readonly client: DynamoDBClient;
  readonly tableName: string;
  readonly content: ContentOfTenant;
  /** 300,000 by default. */
  readonly spillAboveBytes?: number;
}): ResourceStore {
  const table = dynamodbTable(options);
  const { content } = options;
  const aboveBytes = options.spillAboveBytes ?? spillAboveBytes;

  const readLatest = async (key: ResourceKey): Promise<Summary | undefined> => {
    const item = await table.get(latestKey(key));
    return item === undefined ? undefined : decodeSummary(key, item);
  };

  const readRevision = async (key: ResourceKey, revision: number): Promise<ResourceRecord | undefined> => {
    const item = await table.get(revisionKey({ ...key, revision }));
    return item === undefined ? undefined : decodeRecord(key, item);
  };

  const decodeRecord = async (key: ResourceKey, item: TableItem): Promise<ResourceRecord> => {
    const bytes = await unspillBytes(item, content(key.tenant));
    return { ...decodeSummary(key, item), body: unpackJson(bytes, { dictionary, schema: storedBody }) };
  };

  const writeRevision = async (record: ResourceRecord): Promise<ResourceRecord> => {
    const body = packJson(record.body, dictionary);
    const outcome = await table.putIfAbsent({
      ...encodeSummary(record),
      ...revisionKey(record),
      ...(await spillBytes(body, { content: content(record.tenant), aboveBytes })),
    });
    if (outcome.written || outcome.standing === undefined) return record;
    return decodeRecord(record, outcome.standing);
  };

  const moveLatest = async (record: ResourceRecord): Promise<void> => {
    // Should it fail, somebody else moved it to the same revision.
    await table.putIf(
      { ...encodeSummary(record), ...latestKey(record) },
      record.revision === 1
        ? { expression: "attribute_not_exists(pk)" }
        : { expression: "r = :before", values: { ":before": record.revision - 1 } },
    );
  };

  /** Nothing is read before: a first revision cannot come ahead of its time, and where one stands the write tells. */
  const putFirst = async (record: ResourceRecord): Promise<boolean> => {
    const standing = await writeRevision(record);
    if (standing === record) {
      await moveLatest(record);
      return true;
    }
    const latest = await readLatest(record);
    if (latest === undefined) await moveLatest(standing);
    return (latest?.revision ?? 1) === 1 && isDeepStrictEqual(standing, plain(record));
  };

  return {
    async get(key) {
      const latest = await readLatest(key);
      return latest === undefined ? undefined : readRevision(key, latest.revision);
    },

    async getRevision({ revision, ...key }) {
      const [latest, record] = await Promise.all([readLatest(key), readRevision(key, revision)]);
      return latest === undefined || latest.revision < revision ? undefined : record;
    },

    async put(record) {
      if (record.revision === 1) return putFirst(record);
      const latest = await readLatest(record);
      const latestRevision = latest?.revision ?? 0;
      if (latestRevision === record.revision) {
        return isDeepStrictEqual(await readRevision(record, record.revision), plain(record));
      }
      // No revision may be written ahead of its time: it would be taken for the next one later.
      if (latestRevision !== record.revision - 1) return false;
      const standing = await writeRevision(record);
      await moveLatest(standing);
      return standing === record || isDeepStrictEqual(standing, plain(record));
    },

    async list({ tenant, kind, limit, cursor }) {
      const items: TableItem[] = [];
      let after = cursor === undefined ? undefined : checkedCursor(cursor, kind);
      for (let more = true; more && items.length < limit; ) {
        const page = await table.query({
          pk: resourcesPartition(tenant),
          // '$' comes right behind '#'.
          ...(kind === undefined ? {} : { from: `${kind}#`, to: `${kind}$` }),
          limit: limit - items.length,
          ...(after === undefined ? {} : { after }),
        });
        items.push(...page.items);
        const last = page.items.at(-1);
        after = page.more && last !== undefined ? textAttribute(last, "sk") : undefined;
        more = after !== undefined;
      }
      return {
        resources: items.map((item) => decodeSummary(keyOfLatest(tenant, item), item)),
        ...(after === undefined ? {} : { cursor: after }),
      };
    },
  };
}

function latestKey(key: ResourceKey) {
  return { pk: resourcesPartition(key.tenant), sk: resourceSortKey(key) };
}

function keyOfLatest(tenant: string, item: TableItem): ResourceKey {
  const [kind = "", id = ""] = textAttribute(item, "sk").split("#");
  return { tenant, kind: storedKind.parse(kind), id };
}

function encodeSummary(record: Summary): TableItem {
  return {
    v: record.v,
    r: record.revision,
    s: record.serverId,
    ve: record.version,
    c: record.contentSha256,
    by: record.updatedBy,
    at: record.updatedAtEpochMs,
    x: record.deleted ? 1 : undefined,
    cd: record.changesetDigest,
    cp: record.planId,
  };
}

function decodeSummary({ tenant, kind, id }: ResourceKey, item: TableItem): Summary {
  requireVersion(item, 1);
  return {
    v: 1,
    tenant,
    kind,
    id,
    serverId: textAttribute(item, "s"),
    revision: numberAttribute(item, "r"),
    version: textAttribute(item, "ve"),
    contentSha256: textAttribute(item, "c"),
    deleted: item.x !== undefined,
    updatedBy: textAttribute(item, "by"),
    updatedAtEpochMs: numberAttribute(item, "at"),
    ...(item.cd === undefined ? {} : { changesetDigest: textAttribute(item, "cd") }),
    ...(item.cp === undefined ? {} : { planId: textAttribute(item, "cp") }),
  };
}

/** As it comes back from the table, where a field that is undefined is none. */
function plain(record: ResourceRecord): unknown {
  return JSON.parse(JSON.stringify(record));
}

function checkedCursor(cursor: string, kind: string | undefined): string {
  if (kind === undefined ? cursor.includes("#") : cursor.startsWith(`${kind}#`)) return cursor;
  throw new ValidationError({
    field: "cursor",
    message: "cursor is none that this listing gave. Leave it out to begin at the start.",
  });
}
