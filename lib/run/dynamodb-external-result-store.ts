import type { DynamoDBClient } from "@aws-sdk/client-dynamodb";
import * as z from "zod/mini";
import { dynamodbTable } from "../table/dynamodb-table.ts";
import { bytesAttribute, requireVersion, textAttribute } from "../table/item-attributes.ts";
import { packJson, unpackJson } from "../table/packed-json.ts";
import type { TableItem } from "../table/table-item.ts";
import { externalResultKey } from "../table/table-keys.ts";
import type { KeptOutput } from "../tools/tool-outcome.ts";
import type { ExternalResult, ExternalResultStore } from "./run-store.ts";
import { failureSchema } from "./stored-step.ts";

const dictionary =
  '"failed","failure":{"code":"external_failed","tool_timed_out","message":"details":{' +
  '{"status":"succeeded","output":{"sizeBytes":,"truncated":false,"sha256":"';

/** A `ToolOutcome` without its bytes, which stand beside it. */
const output = z.object({ sizeBytes: z.int(), truncated: z.boolean(), sha256: z.string() });
const storedOutcome = z.discriminatedUnion("status", [
  z.object({ status: z.literal("succeeded"), output }),
  z.object({ status: z.literal("failed"), failure: failureSchema, output }),
]);

/** Results of external calls on DynamoDB, each one item. Kept output is at most 64 KiB, so an item never is too large. */
export function dynamodbExternalResultStore(options: {
  readonly client: DynamoDBClient;
  readonly tableName: string;
}): ExternalResultStore {
  const table = dynamodbTable(options);
  return {
    async putIfAbsent(key, result) {
      const { bytes, ...output } = result.outcome.output;
      const outcome = await table.putIfAbsent({
        ...externalResultKey(key),
        v: result.v,
        k: result.idempotencyKey,
        d: packJson({ ...result.outcome, output }, dictionary),
        b: bytes,
      });
      if (outcome.written || outcome.standing === undefined) return result;
      return decode(outcome.standing);
    },

    async get(key) {
      const item = await table.get(externalResultKey(key));
      return item === undefined ? undefined : decode(item);
    },
  };
}

function decode(item: TableItem): ExternalResult {
  requireVersion(item, 1);
  const stored = unpackJson(bytesAttribute(item, "d"), { dictionary, schema: storedOutcome });
  const output: KeptOutput = { ...stored.output, bytes: new Uint8Array(bytesAttribute(item, "b")) };
  return { v: 1, idempotencyKey: textAttribute(item, "k"), outcome: { ...stored, output } };
}
