import type { DynamoDBClient } from "@aws-sdk/client-dynamodb";
import { dynamodbTable } from "../table/dynamodb-table.ts";
import { requireVersion } from "../table/item-attributes.ts";
import { type ContentOfTenant, spillAboveBytes, spillBytes, unspillBytes } from "../table/spilled-bytes.ts";
import type { TableItem } from "../table/table-item.ts";
import { derivedChangesetKey } from "../table/table-keys.ts";
import type { DerivedChangeset } from "./derived-changeset.ts";
import { decodeDerivedChangeset, encodeDerivedChangeset } from "./derived-changeset-codec.ts";
import type { DerivedChangesetStore } from "./derived-changeset-store.ts";

/** Derived changesets on DynamoDB, each one item with its plan's; one too large for an item lies in the tenant's content. */
export function dynamodbDerivedChangesetStore(options: {
  readonly client: DynamoDBClient;
  readonly tableName: string;
  readonly content: ContentOfTenant;
  /** 300,000 by default. */
  readonly spillAboveBytes?: number;
}): DerivedChangesetStore {
  const table = dynamodbTable(options);
  const { content } = options;
  const aboveBytes = options.spillAboveBytes ?? spillAboveBytes;

  const decode = async (tenant: string, item: TableItem): Promise<DerivedChangeset> => {
    requireVersion(item, 1);
    return decodeDerivedChangeset(await unspillBytes(item, content(tenant)));
  };

  return {
    async putIfAbsent(tenant, changeset) {
      const outcome = await table.putIfAbsent({
        ...derivedChangesetKey({ ...changeset, tenant }),
        v: 1,
        ...(await spillBytes(encodeDerivedChangeset(changeset), { content: content(tenant), aboveBytes })),
      });
      if (outcome.written || outcome.standing === undefined) return changeset;
      return decode(tenant, outcome.standing);
    },

    async get(key) {
      const item = await table.get(derivedChangesetKey(key));
      return item === undefined ? undefined : decode(key.tenant, item);
    },
  };
}
