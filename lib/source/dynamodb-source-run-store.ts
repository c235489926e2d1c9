import type { DynamoDBClient } from "@aws-sdk/client-dynamodb";
import { dynamodbTable } from "../table/dynamodb-table.ts";
import { bytesAttribute, requireVersion } from "../table/item-attributes.ts";
import { packJson, unpackJson } from "../table/packed-json.ts";
import type { TableItem } from "../table/table-item.ts";
import { sourcePartition, sourceRunPrefix, sourceRunSortKey } from "../table/table-keys.ts";
import { type SourceRun, sourceRun } from "./source-run.ts";
import { keptSourceRuns, type SourceRunStore } from "./source-run-store.ts";

const dictionary =
  '"conflicts":[],"errors":[],"conflictCount":0,"errorCount":0,"requests":1,"writes":0,"dryRun":false,"totalProcessed":0}' +
  '{"run":1,"startedAtEpochMs":17,"endedAtEpochMs":17,"outcome":"completed","unchanged":true,"summary":{"created":0,"updated":0,"skipped":0,"pulled":0,"deleted":0,';

/** Runs on DynamoDB, as a ring of items: a run takes the place of the one so many before it. */
export function dynamodbSourceRunStore(options: {
  readonly client: DynamoDBClient;
  readonly tableName: string;
}): SourceRunStore {
  const table = dynamodbTable(options);
  return {
    async record(place, run) {
      const outcome = await table.putIf(
        {
          pk: sourcePartition(place),
          sk: sourceRunSortKey(run.run % keptSourceRuns),
          v: 1,
          n: run.run,
          d: packJson(run, dictionary),
        },
        {
          expression: "attribute_not_exists(pk) OR #n < :n",
          names: { "#n": "n" },
          values: { ":n": run.run },
        },
      );
      return outcome.written;
    },
    async list(place) {
      const runs: SourceRun[] = [];
      let after: string | undefined;
      do {
        const page = await table.query({
          pk: sourcePartition(place),
          ...(after === undefined ? { from: sourceRunPrefix } : { after, from: sourceRunPrefix }),
          to: `${sourceRunPrefix}~`,
          limit: keptSourceRuns,
        });
        runs.push(...page.items.map(decode));
        const last = page.items.at(-1)?.sk;
        after = page.more && typeof last === "string" ? last : undefined;
      } while (after !== undefined);
      return runs.sort((one, other) => other.run - one.run);
    },
  };
}

function decode(item: TableItem): SourceRun {
  requireVersion(item, 1);
  return unpackJson(bytesAttribute(item, "d"), { dictionary, schema: sourceRun });
}
