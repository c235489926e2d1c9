import * as z from "zod/mini";
import { type ApiReply, jsonReply } from "#lib/api/api-reply.ts";
import { decodeCursor, encodeCursor } from "#lib/api/cursor.ts";
import type { ResourceKind, ResourceStore } from "#lib/resource/resource-store.ts";
import { resourceSummary } from "./resource-summary.ts";

const defaultLimit = 200;

/** A page of the latest revisions of a kind. */
export const listResources = async (
  resources: Pick<ResourceStore, "list">,
  query: {
    readonly tenant: string;
    readonly kind: ResourceKind;
    readonly limit?: number | undefined;
    readonly cursor?: string | undefined;
  },
): Promise<ApiReply> => {
  const { tenant, kind } = query;
  const page = await resources.list({
    tenant,
    kind,
    limit: query.limit ?? defaultLimit,
    ...(query.cursor === undefined ? {} : { cursor: decodeCursor(query.cursor, kind, z.string()) }),
  });
  return jsonReply(200, {
    resources: page.resources.map(resourceSummary),
    ...(page.cursor === undefined ? {} : { cursor: encodeCursor(kind, page.cursor) }),
  });
};
