import type { DynamoDBClient } from "@aws-sdk/client-dynamodb";
import { dynamodbTable, type KeyedItem } from "../table/dynamodb-table.ts";
import { bytesAttribute, requireVersion, textAttribute } from "../table/item-attributes.ts";
import { packJson, unpackJson } from "../table/packed-json.ts";
import type { TableItem } from "../table/table-item.ts";
import {
  frontierKey,
  frontierPrefix,
  frontiersPartition,
  runKey,
  runOfFrontierKey,
} from "../table/table-keys.ts";
import type { IdSource } from "./clock.ts";
import type { Frontier } from "./frontier.ts";
import { decodeFrontier, encodeFrontier } from "./frontier-item.ts";
import { openingFrontier } from "./opening-frontier.ts";
import type { RunRecord } from "./run-record.ts";
import type { FrontierStore, RunKey, RunRecordStore } from "./run-store.ts";
import { storedRun } from "./stored-run.ts";

const runDictionary =
  '"ranges":[["stored","sha256":"checkpoint":{"correctionsSha256":"{"v":1,"changesetId":"01","requestedBy":"' +
  '"requestedAtEpochMs":17,"list":{"kind":"all"},"decisionCount":1,"startsFrom":{"chainHead":"","ledgerHead":"","lastSeq":0}}';

/**
 * Frontiers and runs on DynamoDB. A move is one put, conditional on the revision that it read; `ids` names each write, so
 * that a put which was applied, whose answer was lost and which the SDK then sent again, is known as this caller's own
 * and not reported as lost.
 */
export function dynamodbFrontierStore(options: {
  readonly client: DynamoDBClient;
  readonly tableName: string;
  readonly ids: IdSource;
}): FrontierStore & RunRecordStore {
  const table = dynamodbTable(options);
  const { ids } = options;

  const read = async (key: RunKey): Promise<Frontier | undefined> => {
    const item = await table.get(frontierKey(key));
    return item === undefined ? undefined : decodeFrontier(key, item);
  };

  return {
    read,

    async create(requested, options) {
      const written = await table.putIfAbsent(encodeRun(requested));
      const run =
        written.written || written.standing === undefined
          ? requested
          : decodeRun(requested, written.standing);
      const opening = openingFrontier(run, options);
      const opened = await table.putIfAbsent(encodeFrontier(opening, ids.ulid()));
      const frontier =
        opened.written || opened.standing === undefined ? opening : decodeFrontier(run, opened.standing);
      return { run, frontier };
    },

    async latest(key) {
      const pk = frontiersPartition(key);
      const { items } = await table.query({
        pk,
        from: frontierPrefix,
        to: `${frontierPrefix}~`,
        limit: 1,
        newestFirst: true,
      });
      const [item] = items;
      if (item === undefined) return undefined;
      const run = runOfFrontierKey({ pk, sk: textAttribute(item, "sk") });
      return run === undefined ? undefined : decodeFrontier(run, item);
    },

    async move(next) {
      const write = ids.ulid();
      const moved = await table.putIf(encodeFrontier(next, write), {
        expression: "r = :r",
        values: { ":r": next.revision - 1 },
      });
      return moved.written || moved.standing?.w === write;
    },

    async getRun(key) {
      const item = await table.get(runKey(key));
      return item === undefined ? undefined : decodeRun(key, item);
    },
  };
}

function encodeRun(run: RunRecord): KeyedItem {
  const { v, tenant, planId, run: number, ...rest } = run;
  return { ...runKey({ tenant, planId, run: number }), v, d: packJson(rest, runDictionary) };
}

function decodeRun(key: RunKey, item: TableItem): RunRecord {
  requireVersion(item, 1);
  const { tenant, planId, run } = key;
  const rest = unpackJson(bytesAttribute(item, "d"), { dictionary: runDictionary, schema: storedRun });
  return { v: 1, tenant, planId, run, ...rest };
}
