import type { DynamoDBClient } from "@aws-sdk/client-dynamodb";
import { dynamodbTable } from "../table/dynamodb-table.ts";
import { bytesAttribute, numberAttribute, requireVersion, textAttribute } from "../table/item-attributes.ts";
import type { TableItem } from "../table/table-item.ts";
import { stepSortKey, stepsPartition } from "../table/table-keys.ts";
import type { StepItem, StepItemStore } from "./run-store.ts";

const greatestEpoch = 9_999_999_999;

/** Steps on DynamoDB, each one item in a partition of its run's, in the order of positions and then of epochs. */
export function dynamodbStepItemStore(options: {
  readonly client: DynamoDBClient;
  readonly tableName: string;
}): StepItemStore {
  const table = dynamodbTable(options);
  return {
    async putIfAbsent({ tenant, planId }, item) {
      const outcome = await table.putIfAbsent({
        pk: stepsPartition({ tenant, planId, run: item.run }),
        sk: stepSortKey(item.from, item.epoch),
        v: 1,
        n: item.count,
        b: item.bytes,
      });
      if (outcome.written || outcome.standing === undefined) return item;
      return decode(item.run, outcome.standing);
    },

    async get(key) {
      const item = await table.get({ pk: stepsPartition(key), sk: stepSortKey(key.from, key.epoch) });
      return item === undefined ? undefined : decode(key.run, item);
    },

    async range({ from, before, limit, ...run }) {
      if (from >= before || limit < 1) return [];
      const pk = stepsPartition(run);
      const to = stepSortKey(before - 1, greatestEpoch);
      const atOrBefore = await table.query({
        pk,
        to: stepSortKey(from, greatestEpoch),
        limit: 1,
        newestFirst: true,
      });
      const found = atOrBefore.items
        .map((item) => decode(run.run, item))
        .filter((item) => item.from + item.count > from);
      let after = stepSortKey(found[0]?.from ?? from, found.length > 0 ? greatestEpoch : 0);
      // One more than is asked for, since which epoch of a position is the highest is known only by the next position.
      for (let more = found.length < limit; more; ) {
        const page = await table.query({ pk, from: after, to, limit: limit - found.length + 1 });
        for (const item of page.items) {
          const step = decode(run.run, item);
          if (found.at(-1)?.from === step.from) found.pop();
          found.push(step);
        }
        const last = page.items.at(-1);
        if (last !== undefined) after = `${textAttribute(last, "sk")}~`;
        more = page.more && found.length <= limit;
      }
      return found.slice(0, limit);
    },
  };
}

function decode(run: number, item: TableItem): StepItem {
  requireVersion(item, 1);
  const sk = textAttribute(item, "sk");
  return {
    run,
    from: Number(sk.slice(0, 10)),
    epoch: Number(sk.slice(11)),
    count: numberAttribute(item, "n"),
    bytes: bytesAttribute(item, "b"),
  };
}
