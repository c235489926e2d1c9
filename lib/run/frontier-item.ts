import { createHash } from "node:crypto";
import type { KeyedItem } from "../table/dynamodb-table.ts";
import { bytesAttribute, numberAttribute, requireVersion } from "../table/item-attributes.ts";
import { packJson, unpackJson } from "../table/packed-json.ts";
import { openRunsIndex } from "../table/table-definition.ts";
import type { TableItem } from "../table/table-item.ts";
import { frontierKey, tenDigits } from "../table/table-keys.ts";
import type { Frontier } from "./frontier.ts";
import type { RunKey } from "./run-store.ts";
import { storedFrontier } from "./stored-frontier.ts";

/** Partitions of the index of open runs: each takes a thousand starts and ends a second. */
export const openRunsShards = 4;

export const openRunsPartition = (shard: number): string => `OPEN#${shard}`;

const dictionary =
  '"algorithm":"Ed25519","keyId":"value":"ordinal":,"callOrdinal":,"tool":"inputSha256":"idempotencyKey":"deadlineEpochMs":' +
  '"type":"runtime_execute_paused"runtime_execute_resumed"runtime_execute_cancelled","run":1,"atEpochMs":1,"by":"service","reason":"' +
  '"controlEvents":[{"seq":"suspect":{"position":,"starts":"checkpoint":{"sha256":"intent":{"decisionId":"' +
  '{"changesetId":"01","epoch":0,"state":{"phase":"submitted"paused"cancelling"completed"failed"cancelled"running","digest":"' +
  '"signature":{"endedAtEpochMs":1},"position":0,"decisionCount":1,"counts":{"landed":0,"failed":0,"skipped":0,"toolCalls":0,"entries":0},' +
  '"chainHead":"","lastSeq":0,"ledgerHead":"","controlEvents":[],"watch":1,"failureSteps":[],"units":{"steps":0,"stepWriteUnits":0,' +
  '"frontierMoves":0,"contentPuts":0,"hints":0,"invocations":0,"workMs":0},"startedAtEpochMs":17,"movedAtEpochMs":17,"nextCheckEpochSeconds":17';

/**
 * The frontier as an item below 1 KB: `r` is its revision, `w` names the write (a move whose answer was lost finds its own
 * by it), `d` is everything that the key does not say. While the run is open, two more attributes put it into the index of
 * open runs; they change about once a minute, since each change costs two writes of the index.
 */
export function encodeFrontier(frontier: Frontier, write: string): KeyedItem {
  const { v, tenant, planId, run, revision, ...rest } = frontier;
  const key = frontierKey({ tenant, planId, run });
  return {
    ...key,
    v,
    r: revision,
    w: write,
    d: packJson(rest, dictionary),
    ...(frontier.nextCheckEpochSeconds === undefined
      ? {}
      : {
          [openRunsIndex.partitionKey]: openRunsPartition(shardOf(key.pk)),
          [openRunsIndex.sortKey]: tenDigits(frontier.nextCheckEpochSeconds, "nextCheckEpochSeconds"),
        }),
  };
}

/** The frontier that `encodeFrontier` wrote; an item of a version that this code does not know is a fault, not a guess. */
export function decodeFrontier(key: RunKey, item: TableItem): Frontier {
  requireVersion(item, 1);
  const rest = unpackJson(bytesAttribute(item, "d"), { dictionary, schema: storedFrontier });
  const { tenant, planId, run } = key;
  return { v: 1, tenant, planId, run, revision: numberAttribute(item, "r"), ...rest };
}

function shardOf(partition: string): number {
  return createHash("sha256").update(partition).digest().readUInt32BE() % openRunsShards;
}
