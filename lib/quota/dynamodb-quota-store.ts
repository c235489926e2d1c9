import { ConditionalCheckFailedException, type DynamoDBClient } from "@aws-sdk/client-dynamodb";
import { UpdateCommand } from "@aws-sdk/lib-dynamodb";
import { unmarshall } from "@aws-sdk/util-dynamodb";
import { InfrastructureError } from "../errors/planledger-error.ts";
import { documentClient } from "../table/document-client.ts";
import { dynamodbTable } from "../table/dynamodb-table.ts";
import { numberAttribute, optionalNumber } from "../table/item-attributes.ts";
import { type TableItem, tableItem } from "../table/table-item.ts";
import { meterKey } from "../table/table-keys.ts";
import { translateFault } from "../table/translate-fault.ts";
import { fullCounts } from "./full-counts.ts";
import type { MeterKey, MeterRow, QuotaStore, Taking } from "./quota-store.ts";

/** A row that moves on between a refused write and the next one is somebody else's success; this many are unlikely. */
const attempts = 10;

interface Update {
  readonly expression: string;
  readonly condition: string;
  readonly names: Readonly<Record<string, string>>;
  readonly values: Readonly<Record<string, number>>;
}

type Outcome =
  | { readonly written: true; readonly item: TableItem }
  | { readonly written: false; readonly standing: TableItem | undefined };

/**
 * Counts on DynamoDB: one small row for each meter of a tenant, so one write unit for a taking, two for the first of a window.
 * There is no row for a window, and so nothing to clear away.
 */
export function dynamodbQuotaStore(options: {
  readonly client: DynamoDBClient;
  readonly tableName: string;
}): QuotaStore {
  const { tableName } = options;
  const client = documentClient(options.client);
  const table = dynamodbTable(options);

  const update = async (key: MeterKey, change: Update): Promise<Outcome> => {
    const tableKey = meterKey(key);
    try {
      const { Attributes } = await client.send(
        new UpdateCommand({
          TableName: tableName,
          Key: { ...tableKey },
          UpdateExpression: change.expression,
          ConditionExpression: change.condition,
          ExpressionAttributeNames: change.names,
          ExpressionAttributeValues: change.values,
          ReturnValues: "ALL_NEW",
          ReturnValuesOnConditionCheckFailure: "ALL_OLD",
        }),
      );
      return { written: true, item: tableItem(Attributes ?? {}) };
    } catch (fault) {
      if (!(fault instanceof ConditionalCheckFailedException)) {
        throw translateFault(fault, `count for the quota of ${key.meter} in table ${tableName}`);
      }
      const standing =
        fault.Item === undefined ? await table.get(tableKey) : tableItem(unmarshall(fault.Item));
      return { written: false, standing };
    }
  };

  return {
    async take(key, taking) {
      let change = addition(taking, taking.windowEpochSeconds);
      for (let attempt = 1; attempt <= attempts; attempt += 1) {
        const outcome = await update(key, change);
        if (outcome.written) return { kind: "taken", row: rowOf(outcome.item) };
        if (outcome.standing === undefined) {
          change = beginning(taking, undefined);
          continue;
        }
        const row = rowOf(outcome.standing);
        const isLater = taking.windowEpochSeconds > row.windowEpochSeconds;
        const full = fullCounts(
          row.counts,
          isLater ? taking.lasting : { ...taking.windowed, ...taking.lasting },
        );
        if (full.length > 0) return { kind: "full", full, row };
        change = isLater
          ? beginning(taking, row.windowEpochSeconds)
          : addition(taking, row.windowEpochSeconds);
      }
      throw new InfrastructureError({
        message: `The count of ${key.meter} moved on ${attempts} times while it was to be added to. Send the request again.`,
      });
    },

    async correct(key, { name, from, to, atEpochSeconds }) {
      const outcome = await update(key, {
        expression: "SET #n = :to, #at = :at",
        condition: "#n = :from",
        names: { "#n": countAttribute(name), "#at": correctedAttribute },
        values: { ":from": from, ":to": to, ":at": atEpochSeconds },
      });
      return outcome.written;
    },
  };
}

const correctedAttribute = "at";
/** Counts stand apart from the row's other attributes, whatever they are called. */
const countPrefix = "n_";
const countAttribute = (name: string): string => `${countPrefix}${name}`;

/** Adds to the row while it is in the window. */
function addition({ windowed, lasting }: Taking, windowEpochSeconds: number): Update {
  const parts = Object.entries({ ...windowed, ...lasting }).map(([name, { amount, limit }], index) => ({
    names: { [`#n${index}`]: countAttribute(name) },
    values: { [`:a${index}`]: amount, [`:l${index}`]: limit },
    add: `#n${index} :a${index}`,
    condition: `(attribute_not_exists(#n${index}) OR #n${index} < :l${index})`,
  }));
  return {
    expression: `ADD ${parts.map(({ add }) => add).join(", ")}`,
    condition: ["#w = :w", ...parts.map(({ condition }) => condition)].join(" AND "),
    names: Object.assign({ "#w": "w" }, ...parts.map(({ names }) => names)),
    values: Object.assign({ ":w": windowEpochSeconds }, ...parts.map(({ values }) => values)),
  };
}

/** Begins the taking's window on the row that stands in an earlier one, or on none. */
function beginning({ windowEpochSeconds, windowed, lasting }: Taking, standing: number | undefined): Update {
  const set = Object.entries(windowed).map(([name, { amount }], index) => ({
    names: { [`#n${index}`]: countAttribute(name) },
    values: { [`:a${index}`]: amount },
    expression: `#n${index} = :a${index}`,
    condition: [],
  }));
  const add = Object.entries(lasting).map(([name, { amount, limit }], index) => ({
    names: { [`#l${index}`]: countAttribute(name) },
    values: { [`:b${index}`]: amount, [`:m${index}`]: limit },
    expression: `#l${index} :b${index}`,
    condition: [`(attribute_not_exists(#l${index}) OR #l${index} < :m${index})`],
  }));
  const parts = [...set, ...add];
  const added = add.length === 0 ? "" : ` ADD ${add.map(({ expression }) => expression).join(", ")}`;
  return {
    expression: `SET ${["v = :v", "#w = :w", ...set.map(({ expression }) => expression)].join(", ")}${added}`,
    condition: [
      standing === undefined ? "attribute_not_exists(#w)" : "#w = :standing",
      ...parts.flatMap(({ condition }) => condition),
    ].join(" AND "),
    names: Object.assign({ "#w": "w" }, ...parts.map(({ names }) => names)),
    values: Object.assign(
      { ":v": 1, ":w": windowEpochSeconds, ...(standing === undefined ? {} : { ":standing": standing }) },
      ...parts.map(({ values }) => values),
    ),
  };
}

function rowOf(item: TableItem): MeterRow {
  const corrected = optionalNumber(item, correctedAttribute);
  const counts = Object.keys(item).flatMap((name) =>
    name.startsWith(countPrefix)
      ? [[name.slice(countPrefix.length), numberAttribute(item, name)] as const]
      : [],
  );
  return {
    windowEpochSeconds: numberAttribute(item, "w"),
    counts: Object.fromEntries(counts),
    ...(corrected === undefined ? {} : { correctedAtEpochSeconds: corrected }),
  };
}
