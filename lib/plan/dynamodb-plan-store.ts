import type { DynamoDBClient } from "@aws-sdk/client-dynamodb";
import * as z from "zod/mini";
import { dynamodbTable } from "../table/dynamodb-table.ts";
import { numberAttribute, optionalText, requireVersion, textAttribute } from "../table/item-attributes.ts";
import { packJson, unpackJson } from "../table/packed-json.ts";
import { type ContentOfTenant, spillAboveBytes, spillBytes, unspillBytes } from "../table/spilled-bytes.ts";
import type { TableItem } from "../table/table-item.ts";
import { keyPart, planKey, serverPlanKey, serverPlanPartition } from "../table/table-keys.ts";
import type { PlanRecord } from "./compiled-plan.ts";
import { compiledDecision, decisionChunk } from "./decision-codec.ts";
import { automationProfiles } from "./plan-document.ts";
import type { PlanStore } from "./plan-store.ts";

const dictionary =
  '"resourceBindings":{},"project":"local/app","revision":1,"baseTree":"","access":"write"read"tool":"write_file"edit_file"' +
  'move_file"delete_file","input":{"path":"content":"oldText":"newText":"edits":[{"source":"destination":"chunked","chunks":[' +
  '{"firstOrdinal":,"count":256,"sha256":"idsSha256":"{"documentSha256":"","plan":{"name":"","decisionRootId":"d0",' +
  '"automationProfile":"manual"auto"review","resources":[{"name":"app"}],"decisionCount":1,"decisions":{"kind":"inline",' +
  '"decisions":[{"ordinal":1,"id":"d1","parentId":"d0","rationale":"","dependsOn":[],"toolCalls":[{"tool":"';

const storedPlan: z.ZodMiniType<Pick<PlanRecord, "documentSha256" | "source" | "plan">> = z.object({
  documentSha256: z.string(),
  source: z.exactOptional(
    z.object({
      action: z.string(),
      revision: z.int(),
      contentSha256: z.string(),
      requestSha256: z.string(),
    }),
  ),
  plan: z.object({
    name: z.exactOptional(z.string()),
    decisionRootId: z.exactOptional(z.string()),
    automationProfile: z.enum(automationProfiles),
    resources: z.array(
      z.object({
        name: z.string(),
        project: z.exactOptional(z.string()),
        revision: z.exactOptional(z.int()),
        baseTree: z.string(),
        access: z.enum(["read", "write"]),
      }),
    ),
    resourceBindings: z.record(z.string(), z.string()),
    tools: z.exactOptional(
      z.array(
        z.object({
          name: z.string(),
          id: z.string(),
          revision: z.int(),
          contentSha256: z.string(),
          definition: z.record(z.string(), z.unknown()),
        }),
      ),
    ),
    decisionCount: z.int(),
    decisions: z.discriminatedUnion("kind", [
      z.object({ kind: z.literal("inline"), decisions: z.array(compiledDecision) }),
      z.object({ kind: z.literal("chunked"), pages: z.array(decisionChunk), idsSha256: z.string() }),
    ]),
  }),
});

/**
 * Plans on DynamoDB: the plan itself, written by `create`, and a second, small item under the id that the service gave,
 * written by `enlist`, which `resolve` and `list` read. Newest first is by the time in the server plan id, a ULID.
 */
export function dynamodbPlanStore(options: {
  readonly client: DynamoDBClient;
  readonly tableName: string;
  readonly content: ContentOfTenant;
  /** 300,000 by default. */
  readonly spillAboveBytes?: number;
}): PlanStore {
  const table = dynamodbTable(options);
  const aboveBytes = options.spillAboveBytes ?? spillAboveBytes;

  const decode = async (tenant: string, item: TableItem): Promise<PlanRecord> => {
    requireVersion(item, 1);
    const bytes = await unspillBytes(item, options.content(tenant));
    const rest = unpackJson(bytes, { dictionary, schema: storedPlan });
    return {
      v: 1,
      tenant,
      planId: textAttribute(item, "p"),
      serverPlanId: textAttribute(item, "s"),
      submittedBy: textAttribute(item, "by"),
      submittedAtEpochMs: numberAttribute(item, "at"),
      ...rest,
    };
  };

  return {
    async create(record) {
      const { v, tenant, planId, serverPlanId, submittedBy, submittedAtEpochMs, ...rest } = record;
      const bytes = await spillBytes(packJson(rest, dictionary), {
        content: options.content(tenant),
        aboveBytes,
      });
      const outcome = await table.putIfAbsent({
        ...planKey({ tenant, planId }),
        v,
        p: planId,
        s: serverPlanId,
        by: submittedBy,
        at: submittedAtEpochMs,
        ...bytes,
      });
      if (outcome.written || outcome.standing === undefined) return record;
      return decode(tenant, outcome.standing);
    },

    async enlist(plan) {
      // Should one stand, it is this plan's: its key is the service's own id.
      await table.putIfAbsent({
        ...serverPlanKey(plan),
        v: 1,
        p: plan.planId,
        at: plan.submittedAtEpochMs,
        n: plan.plan.name,
      });
    },

    async get(key) {
      const item = await table.get(planKey(key));
      return item === undefined ? undefined : decode(key.tenant, item);
    },

    async resolve(key) {
      const item = await table.get(serverPlanKey(key));
      return item === undefined ? undefined : textAttribute(item, "p");
    },

    async list({ tenant, limit, cursor }) {
      const { items, more } = await table.query({
        pk: serverPlanPartition(tenant),
        limit,
        newestFirst: true,
        ...(cursor === undefined ? {} : { after: keyPart(cursor, "cursor") }),
      });
      const plans = items.map((item) => {
        const name = optionalText(item, "n");
        return {
          planId: textAttribute(item, "p"),
          serverPlanId: textAttribute(item, "sk"),
          ...(name === undefined ? {} : { name }),
          submittedAtEpochMs: numberAttribute(item, "at"),
        };
      });
      const last = plans.at(-1);
      return { plans, ...(more && last !== undefined ? { cursor: last.serverPlanId } : {}) };
    },
  };
}
