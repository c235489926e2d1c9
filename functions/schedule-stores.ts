import type { DynamoDBClient } from "@aws-sdk/client-dynamodb";
import type { IdSource } from "#lib/run/clock.ts";
import { dynamodbTimedRecordStore } from "#lib/schedule/dynamodb-timed-record-store.ts";
import { type PlanSchedule, storedPlanSchedule } from "#lib/schedule/plan-schedule.ts";
import type { TimedRecordStore } from "#lib/schedule/timed-record-store.ts";

interface TableAccess {
  readonly client: DynamoDBClient;
  readonly tableName: string;
  readonly ids: IdSource;
}

export const planScheduleStore = (table: TableAccess): TimedRecordStore<PlanSchedule> =>
  dynamodbTimedRecordStore({ ...table, kind: "schedules", schema: storedPlanSchedule });
