import * as z from "zod/mini";
import type { Caller } from "../access/caller.ts";
import { decodeCursor, encodeCursor } from "../api/cursor.ts";
import type { ProjectPutRequest } from "../api/resource-requests.ts";
import { canonicalSha256 } from "../canonical/canonical-json.ts";
import { ConflictError, NotFoundError, ValidationError } from "../errors/planledger-error.ts";
import { automationProfiles } from "../plan/plan-document.ts";
import type { ResourceRecord, ResourceStore } from "../resource/resource-store.ts";
import type { Clock, IdSource } from "../run/clock.ts";
import { directoryRef } from "../tree/directory-ref.ts";
import { emptyTree } from "../tree/empty-tree.ts";
import type { TreeStore } from "../tree/tree-store.ts";
import { contentMissing } from "./load-content.ts";
import type { StoresOf } from "./tenant-stores.ts";

export interface ProjectPorts {
  readonly resources: ResourceStore;
  readonly storesOf: StoresOf;
  readonly clock: Clock;
  readonly ids: IdSource;
}

/** What a project's revision holds. */
export const projectBody = z.object({
  tree: z.string(),
  gitTreeId: z.string(),
  settings: z.record(z.string(), z.unknown()),
});
export type ProjectBody = z.output<typeof projectBody>;

export interface ProjectRevision {
  readonly record: ResourceRecord;
  readonly body: ProjectBody;
}

/** Writers without an expected revision give way to each other this often before it is a conflict after all. */
const attempts = 5;

const projectNotFound = (id: string): NotFoundError =>
  new NotFoundError({ code: "not_found", message: `There is no project ${id}.`, details: { project: id } });

const keyOf = (tenant: string, id: string) => ({ tenant, kind: "projects" as const, id });

/** The content hash of a project: its canonical form without server id and sync metadata. */
export const projectContentSha256 = (project: {
  readonly id: string;
  readonly version: string;
  readonly tree: string;
  readonly settings: Readonly<Record<string, unknown>>;
}): string => {
  const { id, version, tree, settings } = project;
  return canonicalSha256({ id, version, tree, settings });
};

/** The latest revision; `not_found` for what never was or was deleted. */
export const readProject = async (
  ports: Pick<ProjectPorts, "resources">,
  key: { readonly tenant: string; readonly id: string },
): Promise<ProjectRevision> => {
  const record = await ports.resources.get(keyOf(key.tenant, key.id));
  if (record === undefined || record.deleted) throw projectNotFound(key.id);
  return { record, body: projectBody.parse(record.body) };
};

const defaultRevisions = 20;
const revisionNumber = z.int().check(z.positive());

/** A page of a project's revisions, newest first, deletions included; `not_found` for what never was. */
export const listRevisions = async (
  ports: Pick<ProjectPorts, "resources">,
  key: { readonly tenant: string; readonly id: string },
  query: { readonly limit?: number | undefined; readonly cursor?: string | undefined },
): Promise<{ readonly revisions: readonly ResourceRecord[]; readonly cursor?: string }> => {
  const latest = await ports.resources.get(keyOf(key.tenant, key.id));
  if (latest === undefined) throw projectNotFound(key.id);
  const listing = `revisions ${key.id}`;
  const from =
    query.cursor === undefined
      ? latest.revision
      : Math.min(latest.revision, decodeCursor(query.cursor, listing, revisionNumber));
  const count = Math.min(from, query.limit ?? defaultRevisions);
  const revisions = await Promise.all(
    Array.from({ length: count }, (_, index) =>
      ports.resources.getRevision({ ...keyOf(key.tenant, key.id), revision: from - index }),
    ),
  );
  const next = from - count;
  return {
    revisions: revisions.flatMap((record) => record ?? []),
    ...(next > 0 ? { cursor: encodeCursor(listing, next) } : {}),
  };
};

/**
 * Writes a project's next revision. The same tree, version and settings as the latest change nothing. With
 * `expectedRevision` it is one conditional write, and `revision_conflict` (with the revision found) when another stands; but
 * what this very request has made already, its answer lost, is answered again (RFC 9110, section 13.1.1).
 */
export const putProject = async (
  ports: ProjectPorts,
  order: { readonly caller: Caller; readonly id: string; readonly request: ProjectPutRequest },
): Promise<ProjectRevision & { readonly created: boolean }> => {
  const { caller, id, request } = order;
  const key = keyOf(caller.tenant, id);
  checkSettings(request.settings);
  const gitTreeId = await gitTreeIdOf(ports.storesOf(caller.tenant).trees, request.tree);
  for (let attempt = 0; attempt < attempts; attempt++) {
    const latest = await ports.resources.get(key);
    const version = request.version ?? latest?.version ?? "1";
    const body: ProjectBody = { tree: request.tree, gitTreeId, settings: request.settings ?? {} };
    const contentSha256 = projectContentSha256({ id, version, ...body });
    if (latest !== undefined && !latest.deleted && latest.contentSha256 === contentSha256) {
      await checkRepeated(ports.resources, request.expectedRevision, latest);
      return { record: latest, body, created: false };
    }
    checkExpected(id, request.expectedRevision, latest);
    const record: ResourceRecord = {
      ...key,
      v: 1,
      serverId: latest?.serverId ?? `res_${ports.ids.ulid()}`,
      revision: (latest?.revision ?? 0) + 1,
      version,
      contentSha256,
      deleted: false,
      body,
      updatedBy: caller.principal,
      updatedAtEpochMs: ports.clock.now(),
    };
    if (await ports.resources.put(record)) {
      return { record, body, created: latest === undefined || latest.deleted };
    }
  }
  throw revisionConflict(id, undefined, await ports.resources.get(key));
};

/** Puts a tombstone; one that stands already is left as it is. */
export const deleteProject = async (
  ports: Pick<ProjectPorts, "resources" | "clock">,
  order: { readonly caller: Caller; readonly id: string; readonly expectedRevision?: number | undefined },
): Promise<void> => {
  const key = keyOf(order.caller.tenant, order.id);
  for (let attempt = 0; attempt < attempts; attempt++) {
    const latest = await ports.resources.get(key);
    if (latest === undefined) throw projectNotFound(order.id);
    if (latest.deleted) return checkRepeated(ports.resources, order.expectedRevision, latest);
    checkExpected(order.id, order.expectedRevision, latest);
    const { changesetDigest: _, planId: __, ...kept } = latest;
    const tombstone: ResourceRecord = {
      ...kept,
      revision: latest.revision + 1,
      deleted: true,
      updatedBy: order.caller.principal,
      updatedAtEpochMs: ports.clock.now(),
    };
    if (await ports.resources.put(tombstone)) return;
  }
  throw revisionConflict(order.id, undefined, await ports.resources.get(key));
};

/** Settings are the caller's own, but for those that the service knows. */
const checkSettings = (settings: ProjectPutRequest["settings"]): void => {
  const profile = settings?.leastStrictProfile;
  if (profile === undefined || automationProfiles.some((known) => known === profile)) return;
  throw new ValidationError({
    code: "unknown_profile",
    field: "/settings/leastStrictProfile",
    message: `/settings/leastStrictProfile must be one of ${automationProfiles.join(", ")}: the least strict automation profile that plans for this project may have.`,
    details: { allowed: automationProfiles },
  });
};

const checkExpected = (
  id: string,
  expected: number | undefined,
  latest: ResourceRecord | undefined,
): void => {
  if (expected === undefined || expected === (latest?.revision ?? 0)) return;
  // Whoever expects nothing is content with a tombstone.
  if (expected === 0 && latest?.deleted === true) return;
  throw revisionConflict(id, expected, latest);
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
  throw revisionConflict(id, expected, latest);
};

const revisionConflict = (
  id: string,
  expected: number | undefined,
  latest: ResourceRecord | undefined,
): ConflictError =>
  new ConflictError({
    code: "revision_conflict",
    message:
      expected === undefined
        ? `Project ${id} is being written by others; send the request again.`
        : `Project ${id} is at revision ${latest?.revision ?? 0}, not ${expected}. Read it, and send the request again with what you find.`,
    details: {
      project: id,
      ...(expected === undefined ? {} : { expectedRevision: expected }),
      foundRevision: latest?.revision ?? 0,
      ...(latest === undefined ? {} : { updatedBy: latest.updatedBy }),
    },
  });

const gitTreeIdOf = async (trees: TreeStore, tree: string): Promise<string> => {
  if (tree === emptyTree.sha256) return emptyTree.gitTreeId;
  try {
    return directoryRef(await trees.get(tree)).gitTreeId;
  } catch (error) {
    if (error instanceof NotFoundError) throw contentMissing("/tree", { contents: [], directories: [tree] });
    throw error;
  }
};
