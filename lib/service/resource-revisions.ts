import * as z from "zod/mini";
import type { Caller } from "../access/caller.ts";
import { decodeCursor, encodeCursor } from "../api/cursor.ts";
import { ConflictError, NotFoundError } from "../errors/planledger-error.ts";
import type { ResourceKey, ResourceKind, ResourceRecord, ResourceStore } from "../resource/resource-store.ts";
import type { Clock, IdSource } from "../run/clock.ts";

export interface RevisionPorts {
  readonly resources: ResourceStore;
  readonly clock: Clock;
  readonly ids: IdSource;
}

/** Writers without an expected revision give way to each other this often before it is a conflict after all. */
const attempts = 5;

/** What became of a write. `unchanged`: it stood there already. `conflict`: another revision stands, or there never was one. */
export type RevisionOutcome =
  | { readonly kind: "written"; readonly record: ResourceRecord; readonly created: boolean }
  | { readonly kind: "unchanged"; readonly record: ResourceRecord }
  | { readonly kind: "conflict"; readonly latest: ResourceRecord | undefined };

/** What a revision is to hold, given the latest one. */
export type RevisionContent = Pick<ResourceRecord, "version" | "contentSha256" | "body">;

interface RevisionOrder {
  readonly caller: Caller;
  readonly kind: ResourceKind;
  readonly id: string;
  /** 0 expects nothing, or a tombstone; without it the last write wins. */
  readonly expectedRevision?: number | undefined;
}

const singular = { actions: "action", skills: "skill", tools: "tool", projects: "project" } as const;

/** How errors call a resource. */
export const resourceNoun = (kind: ResourceKind): string => singular[kind];

export const resourceNotFound = ({ kind, id }: Pick<ResourceKey, "kind" | "id">): NotFoundError =>
  new NotFoundError({
    code: "not_found",
    message: `There is no ${singular[kind]} ${id}.`,
    details: { [singular[kind]]: id },
  });

/** The latest revision; `not_found` for what never was or was deleted. */
export const readResource = async (
  resources: Pick<ResourceStore, "get">,
  key: ResourceKey,
): Promise<ResourceRecord> => {
  const record = await resources.get(key);
  if (record === undefined || record.deleted) throw resourceNotFound(key);
  return record;
};

const defaultRevisions = 20;
/** Records are held whole, with their bodies, only so many at once. */
const readAtOnce = 10;
const revisionNumber = z.int().check(z.positive());

/** A page of revisions, newest first, deletions included, each as `take` has it; `not_found` for what never was. */
export const listRevisions = async <Row>(
  resources: Pick<ResourceStore, "get" | "getRevision">,
  query: {
    readonly key: ResourceKey;
    readonly limit?: number | undefined;
    readonly cursor?: string | undefined;
  },
  take: (record: ResourceRecord) => Row,
): Promise<{ readonly revisions: readonly Row[]; readonly cursor?: string }> => {
  const { key } = query;
  const latest = await resources.get(key);
  if (latest === undefined) throw resourceNotFound(key);
  // What stood in cursors of projects before the other kinds had any.
  const listing = key.kind === "projects" ? `revisions ${key.id}` : `revisions ${key.kind} ${key.id}`;
  const from =
    query.cursor === undefined
      ? latest.revision
      : Math.min(latest.revision, decodeCursor(query.cursor, listing, revisionNumber));
  const count = Math.min(from, query.limit ?? defaultRevisions);
  const revisions: Row[] = [];
  for (let start = 0; start < count; start += readAtOnce) {
    const some = await Promise.all(
      Array.from({ length: Math.min(readAtOnce, count - start) }, (_, index) =>
        resources.getRevision({ ...key, revision: from - start - index }),
      ),
    );
    revisions.push(...some.flatMap((record) => (record === undefined ? [] : [take(record)])));
  }
  const next = from - count;
  return { revisions, ...(next > 0 ? { cursor: encodeCursor(listing, next) } : {}) };
};

/**
 * Writes the next revision, if `expectedRevision` is the latest one now. The same content as the latest changes nothing,
 * whatever revision is expected. Without an expected revision it gives way to other writers a few times.
 */
export const putRevision = async (
  ports: RevisionPorts,
  order: RevisionOrder & { readonly content: (latest: ResourceRecord | undefined) => RevisionContent },
): Promise<RevisionOutcome> => {
  const { caller, kind, id, expectedRevision } = order;
  const key: ResourceKey = { tenant: caller.tenant, kind, id };
  for (let attempt = 0; attempt < attempts; attempt++) {
    // Whoever expects nothing rarely finds something: the write itself tells, and is most often the only look there is.
    const unseen = attempt === 0 && expectedRevision === 0;
    const latest = unseen ? undefined : await ports.resources.get(key);
    const content = order.content(latest);
    if (latest !== undefined && !latest.deleted && latest.contentSha256 === content.contentSha256) {
      return { kind: "unchanged", record: latest };
    }
    if (!isExpected(expectedRevision, latest)) return { kind: "conflict", latest };
    const record: ResourceRecord = {
      ...key,
      ...content,
      v: 1,
      serverId: latest?.serverId ?? `res_${ports.ids.ulid()}`,
      revision: (latest?.revision ?? 0) + 1,
      deleted: false,
      updatedBy: caller.principal,
      updatedAtEpochMs: ports.clock.now(),
    };
    if (await ports.resources.put(record)) {
      return { kind: "written", record, created: latest === undefined || latest.deleted };
    }
  }
  return { kind: "conflict", latest: await ports.resources.get(key) };
};

/** Puts a tombstone, which keeps what it deletes; one that stands already is left as it is. */
export const deleteRevision = async (
  ports: Pick<RevisionPorts, "resources" | "clock">,
  order: RevisionOrder,
): Promise<RevisionOutcome> => {
  const { caller, kind, id, expectedRevision } = order;
  const key: ResourceKey = { tenant: caller.tenant, kind, id };
  for (let attempt = 0; attempt < attempts; attempt++) {
    const latest = await ports.resources.get(key);
    if (latest === undefined) return { kind: "conflict", latest };
    if (latest.deleted) return { kind: "unchanged", record: latest };
    if (!isExpected(expectedRevision, latest)) return { kind: "conflict", latest };
    const { changesetDigest: _, planId: __, ...kept } = latest;
    const record: ResourceRecord = {
      ...kept,
      revision: latest.revision + 1,
      deleted: true,
      updatedBy: caller.principal,
      updatedAtEpochMs: ports.clock.now(),
    };
    if (await ports.resources.put(record)) return { kind: "written", record, created: false };
  }
  return { kind: "conflict", latest: await ports.resources.get(key) };
};

const isExpected = (expected: number | undefined, latest: ResourceRecord | undefined): boolean =>
  expected === undefined ||
  expected === (latest?.revision ?? 0) ||
  // Whoever expects nothing is content with a tombstone.
  (expected === 0 && latest?.deleted === true);

/**
 * The outcome of one conditional request: `revision_conflict` (with the revision found) when another revision stands; but
 * what this very request has made already, its answer lost, is answered again (RFC 9110, section 13.1.1).
 */
export const settledRevision = async (
  resources: Pick<ResourceStore, "getRevision">,
  order: RevisionOrder,
  outcome: RevisionOutcome,
): Promise<{ readonly record: ResourceRecord; readonly created: boolean }> => {
  switch (outcome.kind) {
    case "written":
      return outcome;
    case "unchanged":
      await checkRepeated(resources, order.expectedRevision, outcome.record);
      return { record: outcome.record, created: false };
    case "conflict":
      throw revisionConflict(order, outcome.latest);
  }
};

/**
 * For a write whose outcome stands already: it expects that revision, or the one that it was made from. Whoever expects any
 * other has not seen what came in between.
 */
const checkRepeated = async (
  resources: Pick<ResourceStore, "getRevision">,
  expected: number | undefined,
  latest: ResourceRecord,
): Promise<void> => {
  const { tenant, kind, id, revision } = latest;
  if (expected === undefined || expected === revision || expected === revision - 1) return;
  if (expected === 0) {
    const before = await resources.getRevision({ tenant, kind, id, revision: revision - 1 });
    if (before?.deleted === true) return;
  }
  throw revisionConflict({ kind, id, expectedRevision: expected }, latest);
};

const revisionConflict = (
  { kind, id, expectedRevision }: Omit<RevisionOrder, "caller">,
  latest: ResourceRecord | undefined,
): ConflictError => {
  const noun = singular[kind];
  const named = `${noun.charAt(0).toUpperCase()}${noun.slice(1)} ${id}`;
  return new ConflictError({
    code: "revision_conflict",
    message:
      expectedRevision === undefined
        ? `${named} is being written by others; send the request again.`
        : `${named} is at revision ${latest?.revision ?? 0}, not ${expectedRevision}. Read it, and send the request again with what you find.`,
    details: {
      [noun]: id,
      ...(expectedRevision === undefined ? {} : { expectedRevision }),
      foundRevision: latest?.revision ?? 0,
      ...(latest === undefined ? {} : { updatedBy: latest.updatedBy }),
    },
  });
};
