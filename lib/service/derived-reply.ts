import * as z from "zod/mini";
import type { DerivedPageReply } from "../api/apply-replies.ts";
import { decodeCursor, encodeCursor } from "../api/cursor.ts";
import type { DerivedChangeset } from "../apply/derived-changeset.ts";
import type { DerivedChangesetKey, DerivedChangesetStore } from "../apply/derived-changeset-store.ts";
import { netChanges } from "../changeset/net-changes.ts";
import { NotFoundError } from "../errors/planledger-error.ts";
import { type DiffPage, differencesPage } from "./diff-page.ts";
import { entryReplies } from "./entry-replies.ts";
import type { StoresOf } from "./tenant-stores.ts";

const defaultLimit = 200;
const position = z.int().check(z.nonnegative());

export interface DerivedViewPorts {
  readonly derived: Pick<DerivedChangesetStore, "get">;
  readonly storesOf: StoresOf;
}

/** A derived changeset as the API tells it, without its entries. */
export const derivedFields = (changeset: DerivedChangeset): Omit<DerivedPageReply, "entries" | "cursor"> => ({
  planId: changeset.planId,
  digest: changeset.digest,
  kind: changeset.kind,
  of: changeset.of,
  baseTrees: { ...changeset.baseTrees },
  entryCount: changeset.entries.length,
  ...(changeset.derivedBy === undefined ? {} : { derivedBy: changeset.derivedBy }),
  ...(changeset.kind === "partial"
    ? {
        only: [...changeset.only],
        added: changeset.added.map((added) => ({ ...added, because: { ...added.because } })),
      }
    : {}),
  ...(changeset.kind === "rollback"
    ? {
        undoes: changeset.undoes,
        externalEffects: changeset.externalEffects.map((effect) => ({ ...effect })),
      }
    : {}),
});

/** A page of a derived changeset's entries. */
export const derivedPage = async (
  ports: DerivedViewPorts,
  key: DerivedChangesetKey,
  query: { readonly limit?: number | undefined; readonly cursor?: string | undefined },
): Promise<DerivedPageReply> => {
  const changeset = await required(ports, key);
  const listing = `derived ${key.planId} ${key.digest}`;
  const from = query.cursor === undefined ? 0 : decodeCursor(query.cursor, listing, position);
  const to = from + (query.limit ?? defaultLimit);
  return {
    ...derivedFields(changeset),
    entries: entryReplies(changeset.entries.slice(from, to)),
    ...(to < changeset.entries.length ? { cursor: encodeCursor(listing, to) } : {}),
  };
};

/** A page of the unified diff of what a derived changeset does. */
export const derivedDiffPage = async (
  ports: DerivedViewPorts,
  key: DerivedChangesetKey,
  query: { readonly cursor?: string | undefined },
): Promise<DiffPage> => {
  const { entries, baseTrees } = await required(ports, key);
  const { content } = ports.storesOf(key.tenant);
  return differencesPage({
    listing: `derived diff ${key.planId} ${key.digest}`,
    cursor: query.cursor,
    source: {
      differences: Object.keys(baseTrees).flatMap((resource) => netChanges(entries, resource)),
      content: (sha256) => content.get(sha256),
    },
  });
};

const required = async (ports: DerivedViewPorts, key: DerivedChangesetKey): Promise<DerivedChangeset> => {
  const changeset = /^[0-9a-f]{64}$/.test(key.digest) ? await ports.derived.get(key) : undefined;
  if (changeset !== undefined) return changeset;
  throw new NotFoundError({
    code: "not_found",
    message: `Plan ${key.planId} has no derived changeset ${key.digest}. The sealed one is read under /changeset.`,
    details: { digest: key.digest },
  });
};
