import type { DynamoDBClient } from "@aws-sdk/client-dynamodb";
import type { IdSource } from "#lib/run/clock.ts";
import { dynamodbTimedRecordStore } from "#lib/schedule/dynamodb-timed-record-store.ts";
import { type PlanSchedule, storedPlanSchedule } from "#lib/schedule/plan-schedule.ts";
import type { TimedRecordStore } from "#lib/schedule/timed-record-store.ts";
import type { SourceQueue } from "#lib/source/source-message.ts";
import { type SyncSource, storedSyncSource } from "#lib/source/sync-source.ts";
import type { AwsEnvironment } from "./environment.ts";
import { loadedOnce } from "./loaded-once.ts";

interface TableAccess {
  readonly client: DynamoDBClient;
  readonly tableName: string;
  readonly ids: IdSource;
}

export const planScheduleStore = (table: TableAccess): TimedRecordStore<PlanSchedule> =>
  dynamodbTimedRecordStore({ ...table, kind: "schedules", schema: storedPlanSchedule });

export const syncSourceStore = (table: TableAccess): TimedRecordStore<SyncSource> =>
  dynamodbTimedRecordStore({ ...table, kind: "sources", schema: storedSyncSource });

/** The client of SQS is loaded for the first word. */
export const wireSourceQueue = (
  environment: AwsEnvironment & { readonly SOURCES_QUEUE_URL: string },
): SourceQueue => {
  const queue = loadedOnce(async () =>
    (await import("./sqs-sources.ts")).sqsSources(environment, environment.SOURCES_QUEUE_URL),
  );
  return { send: async (source) => (await queue()).send(source) };
};
