import type { DynamoDBClient } from "@aws-sdk/client-dynamodb";
import { mapBounded } from "../content/map-bounded.ts";
import { dynamodbTable, type TableItem } from "../table/dynamodb-table.ts";
import { textAttribute } from "../table/item-attributes.ts";
import { type ContentOfTenant, spillAboveBytes, spillBytes, unspillBytes } from "../table/spilled-bytes.ts";
import { stepSortKey, stepsPartition } from "../table/table-keys.ts";
import type { StepStore } from "./run-store.ts";
import { decodeStep, encodeStep } from "./step-codec.ts";

const greatestEpoch = 9_999_999_999;
const readsAtOnce = 8;

/**
 * Steps on DynamoDB, each one item of a partition of its run's, in the order of positions. A step beyond `spillAboveBytes`
 * lies in the tenant's content, and the item holds its address.
 */
export function dynamodbStepStore(options: {
  readonly client: DynamoDBClient;
  readonly tableName: string;
  readonly content: ContentOfTenant;
  /** 300,000 by default. Beyond about 8 KB an object is cheaper than the write units of an item, but slower. */
  readonly spillAboveBytes?: number;
}): StepStore {
  const table = dynamodbTable(options);
  const aboveBytes = options.spillAboveBytes ?? spillAboveBytes;

  const decode = async (tenant: string, item: TableItem) =>
    decodeStep(await unspillBytes(item, options.content(tenant)));

  return {
    async putIfAbsent(key, step) {
      const { tenant, planId } = key;
      const bytes = await spillBytes(encodeStep(step), { content: options.content(tenant), aboveBytes });
      const outcome = await table.putIfAbsent({
        pk: { S: stepsPartition({ tenant, planId, run: step.run }) },
        sk: { S: stepSortKey(step.from, step.epoch) },
        v: { N: String(step.v) },
        ...bytes,
      });
      if (outcome.written || outcome.standing === undefined) return step;
      return decode(tenant, outcome.standing);
    },

    async get(key) {
      const item = await table.get({ pk: stepsPartition(key), sk: stepSortKey(key.from, key.epoch) });
      return item === undefined ? undefined : decode(key.tenant, item);
    },

    async range({ from, before, limit, ...run }) {
      if (from >= before || limit < 1) return [];
      const pk = stepsPartition(run);
      const { items: covering } = await table.query({
        pk,
        to: stepSortKey(from, greatestEpoch),
        limit: 1,
        newestFirst: true,
      });
      const [first] = covering;
      if (first === undefined) return [];
      const found = [first];
      let after = stepSortKey(fromOf(first), greatestEpoch);
      const to = stepSortKey(before - 1, greatestEpoch);
      // One more than is missing, since the last of one `from` is known only by the next one.
      for (let more = found.length < limit; more; ) {
        const page = await table.query({ pk, from: after, to, limit: limit - found.length + 1 });
        for (const item of page.items) {
          const last = found.at(-1);
          if (last !== undefined && fromOf(last) === fromOf(item)) found.pop();
          found.push(item);
        }
        const last = found.at(-1);
        if (last !== undefined) after = `${textAttribute(last, "sk")}~`;
        more = page.more && found.length <= limit;
      }
      return mapBounded(found.slice(0, limit), readsAtOnce, (item) => decode(run.tenant, item));
    },
  };
}

function fromOf(item: TableItem): number {
  return Number(textAttribute(item, "sk").slice(0, 10));
}
