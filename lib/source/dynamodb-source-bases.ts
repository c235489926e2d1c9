import type { DynamoDBClient } from "@aws-sdk/client-dynamodb";
import * as z from "zod/mini";
import { mapBounded } from "../content/map-bounded.ts";
import { resourceKinds } from "../resource/resource-store.ts";
import { dynamodbTable } from "../table/dynamodb-table.ts";
import { bytesAttribute, requireVersion, textAttribute } from "../table/item-attributes.ts";
import { packJson, unpackJson } from "../table/packed-json.ts";
import type { TableItem } from "../table/table-item.ts";
import {
  sourceBasePrefix,
  sourceBaseSortKey,
  sourceDocumentPrefix,
  sourceDocumentSortKey,
  sourcePartition,
} from "../table/table-keys.ts";
import { type SourceBases, SourceFenceLost } from "./source-bases.ts";
import type { SourcePlace } from "./source-run-store.ts";

const putsAtOnce = 16;
const pageItems = 2000;

const dictionary =
  '{"kind":"absent"}"kind":"unknown"projects","tools","skills","actions","id":"local/","base":{"base":{"kind":"content","serverId":"res_01","version":"1.0","contentSha256":"';

const content = z.object({ version: z.string(), contentSha256: z.string() });
const storedBase = z.object({
  kind: z.enum(resourceKinds),
  id: z.string(),
  base: z.object({
    base: z.discriminatedUnion("kind", [
      z.object({ kind: z.literal("unknown") }),
      z.object({ kind: z.literal("absent") }),
      z.object({ kind: z.literal("content"), serverId: z.string(), ...content.shape }),
    ]),
    intents: z.array(
      z.discriminatedUnion("kind", [
        z.object({ kind: z.literal("absent") }),
        z.object({ kind: z.literal("removed") }),
        z.object({ kind: z.literal("content"), ...content.shape }),
        z.object({ kind: z.literal("pulled"), serverId: z.string(), ...content.shape }),
      ]),
    ),
  }),
});

/**
 * Bases on DynamoDB, an item each: what a run changes is what it writes, one unit a base. `f` is the run that wrote it last.
 * Those of a place that no source leads to any more are left behind, as everything is here.
 */
export function dynamodbSourceBases(options: {
  readonly client: DynamoDBClient;
  readonly tableName: string;
}): SourceBases {
  const table = dynamodbTable(options);

  const all = async (place: SourcePlace, prefix: string): Promise<readonly TableItem[]> => {
    const items: TableItem[] = [];
    let after: string | undefined;
    do {
      const page = await table.query({
        pk: sourcePartition(place),
        from: prefix,
        // Behind every character of an id.
        to: `${prefix}\u{10ffff}`,
        limit: pageItems,
        ...(after === undefined ? {} : { after }),
      });
      items.push(...page.items);
      const last = page.items.at(-1);
      after = page.more && last !== undefined ? textAttribute(last, "sk") : undefined;
    } while (after !== undefined);
    return items;
  };

  return {
    of: (place, run) => ({
      async load() {
        const items = await all(place, sourceBasePrefix);
        return items.map((item) => {
          requireVersion(item, 1);
          return unpackJson(bytesAttribute(item, "d"), { dictionary, schema: storedBase });
        });
      },
      async save(changes) {
        await mapBounded(changes, putsAtOnce, async (change) => {
          const { written } = await table.putIf(
            {
              pk: sourcePartition(place),
              sk: sourceBaseSortKey(change),
              v: 1,
              f: run,
              d: packJson(change, dictionary),
            },
            { expression: "attribute_not_exists(pk) OR f <= :f", values: { ":f": run } },
          );
          if (!written) throw new SourceFenceLost();
        });
      },
    }),
    async documents(place) {
      const items = await all(place, sourceDocumentPrefix);
      return new Map(
        items.map((item) => [
          textAttribute(item, "sk").slice(sourceDocumentPrefix.length),
          textAttribute(item, "c"),
        ]),
      );
    },
    async rememberDocuments(place, contentSha256s) {
      await mapBounded([...contentSha256s], putsAtOnce, async ([sha256, contentSha256]) => {
        await table.putIfAbsent({
          pk: sourcePartition(place),
          sk: sourceDocumentSortKey(sha256),
          v: 1,
          c: contentSha256,
        });
      });
    },
  };
}
