import * as z from "zod/mini";
import type { Caller } from "../access/caller.ts";
import type { ProjectPutRequest } from "../api/resource-requests.ts";
import { NotFoundError } from "../errors/planledger-error.ts";
import { checkProjectSettings, parseProjectItem } from "../resource/project-item.ts";
import type { ResourceRecord } from "../resource/resource-store.ts";
import { defaultName, itemContentSha256 } from "../sync/item-content.ts";
import type { SyncItem } from "../sync/sync-item.ts";
import { directoryRef } from "../tree/directory-ref.ts";
import { emptyTree } from "../tree/empty-tree.ts";
import type { TreeStore } from "../tree/tree-store.ts";
import { contentMissing } from "./load-content.ts";
import {
  deleteRevision,
  putRevision,
  type RevisionContent,
  type RevisionPorts,
  readResource,
  resourceNotFound,
  settledRevision,
} from "./resource-revisions.ts";
import type { StoresOf } from "./tenant-stores.ts";

export interface ProjectPorts extends RevisionPorts {
  readonly storesOf: StoresOf;
}

/**
 * What a project's revision holds. `item` is there once the project was synced: its document as it came but for id and
 * version. Its tree is that of then; `tree` is the one now.
 */
export const projectBody = z.object({
  tree: z.string(),
  gitTreeId: z.string(),
  settings: z.record(z.string(), z.unknown()),
  item: z.optional(
    z.looseObject({
      name: z.string(),
      metadata: z.record(z.string(), z.unknown()),
      tree: z.optional(z.unknown()),
      settings: z.optional(z.unknown()),
    }),
  ),
});
export type ProjectBody = z.output<typeof projectBody>;

export interface ProjectRevision {
  readonly record: ResourceRecord;
  readonly body: ProjectBody;
}

interface IdentifiedProject extends Pick<ProjectBody, "tree" | "settings"> {
  readonly id: string;
  readonly version: string;
  readonly item?: ProjectBody["item"];
}

const keyOf = (tenant: string, id: string) => ({ tenant, kind: "projects" as const, id });

/** A project as the sync carries it. Members that it did not say when it was synced stay unsaid for as long as that is true. */
export const projectItem = (project: IdentifiedProject): SyncItem => {
  const { id, version, tree, settings, item } = project;
  if (item === undefined) return { id, name: defaultName(id), version, metadata: {}, tree, settings };
  const { tree: saidTree, settings: saidSettings, ...members } = item;
  return {
    ...members,
    id,
    version,
    ...(saidTree === undefined && tree === emptyTree.sha256 ? {} : { tree }),
    ...(saidSettings === undefined && Object.keys(settings).length === 0 ? {} : { settings }),
  };
};

/** The content hash of a project: that of its item. */
export const projectContentSha256 = (project: IdentifiedProject): string =>
  itemContentSha256(projectItem(project));

/** The latest revision; `not_found` for what never was or was deleted. */
export const readProject = async (
  ports: Pick<ProjectPorts, "resources">,
  key: { readonly tenant: string; readonly id: string },
): Promise<ProjectRevision> => {
  const record = await readResource(ports.resources, keyOf(key.tenant, key.id));
  return { record, body: projectBody.parse(record.body) };
};

/**
 * Writes a project's next revision. The same tree, version and settings as the latest change nothing; what a sync said
 * beside those is kept. With `expectedRevision` it is one conditional write, and `revision_conflict` when another stands.
 */
export const putProject = async (
  ports: ProjectPorts,
  order: { readonly caller: Caller; readonly id: string; readonly request: ProjectPutRequest },
): Promise<ProjectRevision & { readonly created: boolean }> => {
  const { caller, id, request } = order;
  checkProjectSettings(request.settings);
  const gitTreeId = await gitTreeIdOf(ports.storesOf(caller.tenant).trees, request.tree);
  const revision = { caller, kind: "projects", id, expectedRevision: request.expectedRevision } as const;
  const content = (latest: ResourceRecord | undefined): RevisionContent => {
    const version = request.version ?? latest?.version ?? "1";
    const item = latest === undefined || latest.deleted ? undefined : projectBody.parse(latest.body).item;
    const body: ProjectBody = {
      tree: request.tree,
      gitTreeId,
      settings: request.settings ?? {},
      ...(item === undefined ? {} : { item }),
    };
    return { version, contentSha256: projectContentSha256({ id, version, ...body }), body };
  };
  const outcome = await putRevision(ports, { ...revision, content });
  const { record, created } = await settledRevision(ports.resources, revision, outcome);
  return { record, body: projectBody.parse(record.body), created };
};

/** What a revision of a project holds that is synced. Its tree must have been uploaded; without one it is empty. */
export const projectRevisionContent = async (trees: TreeStore, item: SyncItem): Promise<RevisionContent> => {
  const { tree = emptyTree.sha256, settings = {} } = parseProjectItem(item);
  const gitTreeId = await gitTreeIdOf(trees, tree);
  const { id: _, version, ...members } = item;
  const body: ProjectBody = { tree, gitTreeId, settings, item: members };
  return { version, contentSha256: itemContentSha256(item), body };
};

/** Puts a tombstone; one that stands already is left as it is. */
export const deleteProject = async (
  ports: Pick<ProjectPorts, "resources" | "clock">,
  order: { readonly caller: Caller; readonly id: string; readonly expectedRevision?: number | undefined },
): Promise<void> => {
  const revision = { ...order, kind: "projects" } as const;
  const outcome = await deleteRevision(ports, revision);
  if (outcome.kind === "conflict" && outcome.latest === undefined) throw resourceNotFound(revision);
  await settledRevision(ports.resources, revision, outcome);
};

const gitTreeIdOf = async (trees: TreeStore, tree: string): Promise<string> => {
  if (tree === emptyTree.sha256) return emptyTree.gitTreeId;
  try {
    return directoryRef(await trees.get(tree)).gitTreeId;
  } catch (error) {
    if (error instanceof NotFoundError) throw contentMissing("/tree", { contents: [], directories: [tree] });
    throw error;
  }
};
