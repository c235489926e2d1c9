import * as z from "zod/mini";
import { decodeCursor, encodeCursor } from "../api/cursor.ts";
import { type SyncListReply, type SyncRowReply, syncLimits } from "../api/sync-requests.ts";
import { ValidationError } from "../errors/planledger-error.ts";
import { type ResourceKind, type ResourceStore, resourceKinds } from "../resource/resource-store.ts";
import { syncRowOf } from "./sync-row.ts";

const position = z.tuple([z.enum(resourceKinds), z.nullable(z.string())]);
type Position = z.infer<typeof position>;

/** Rows read at once, and bytes of rows after which a page ends: a reply must fit into what a function may answer. */
const readAtOnce = 1000;
const pageBytes = 3 * 1024 * 1024;

/** A page of the latest revisions of all kinds that are asked for, tombstones included, by kind and id. No body is read. */
export const listForSync = async (
  resources: Pick<ResourceStore, "list">,
  query: {
    readonly tenant: string;
    readonly kinds?: string | undefined;
    readonly limit?: number | undefined;
    readonly cursor?: string | undefined;
  },
): Promise<SyncListReply> => {
  const kinds = askedKinds(query.kinds);
  const listing = `sync ${kinds.join(",")}`;
  const limit = query.limit ?? syncLimits.listed;
  const rows: SyncRowReply[] = [];
  let bytes = 0;
  let next = query.cursor === undefined ? firstOf(kinds) : decodeCursor(query.cursor, listing, position);
  while (next !== undefined && rows.length < limit && bytes < pageBytes) {
    const [kind, after] = next;
    const page = await resources.list({
      tenant: query.tenant,
      kind,
      limit: Math.min(readAtOnce, limit - rows.length),
      ...(after === null ? {} : { cursor: after }),
    });
    const read = page.resources.map(syncRowOf);
    rows.push(...read);
    bytes += Buffer.byteLength(JSON.stringify(read));
    next = page.cursor === undefined ? firstOf(kinds.slice(kinds.indexOf(kind) + 1)) : [kind, page.cursor];
  }
  return { resources: rows, ...(next === undefined ? {} : { cursor: encodeCursor(listing, next) }) };
};

const firstOf = ([kind]: readonly ResourceKind[]): Position | undefined =>
  kind === undefined ? undefined : [kind, null];

/** In the order of their bytes, as the listing has them. */
const askedKinds = (text: string | undefined): readonly ResourceKind[] => {
  const names = new Set(text === undefined ? resourceKinds : text.split(","));
  const unknown = [...names].find((name) => !resourceKinds.some((kind) => kind === name));
  if (unknown !== undefined) {
    throw new ValidationError({
      field: "kinds",
      message: `kinds has ${JSON.stringify(unknown)}; allowed are ${resourceKinds.join(", ")}, separated by commas.`,
      details: { allowed: resourceKinds },
    });
  }
  return resourceKinds.filter((kind) => names.has(kind)).toSorted();
};
