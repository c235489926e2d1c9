import * as z from "zod/mini";
import { ValidationError } from "../errors/planledger-error.ts";
import type { PinnedResource } from "../plan/compiled-plan.ts";
import type { PlanDocument } from "../plan/plan-document.ts";
import { type DocumentResource, documentResources } from "../plan/resource-rules.ts";
import type { ResourceStore } from "../resource/resource-store.ts";
import { emptyTree } from "../tree/empty-tree.ts";
import type { TreeStore } from "../tree/tree-store.ts";
import { contentMissing } from "./load-content.ts";

const projectBody = z.object({ tree: z.string() });

/**
 * The base of every resource as it is now: a `tree` must have been uploaded by this tenant (`content_missing` says what to
 * upload), a `project` alone pins its latest revision. With neither it is the empty tree.
 */
export const pinResources = async (
  stores: { readonly resources: Pick<ResourceStore, "get">; readonly trees: Pick<TreeStore, "missing"> },
  plan: { readonly tenant: string; readonly document: PlanDocument },
): Promise<readonly PinnedResource[]> => {
  const pinned: PinnedResource[] = [];
  for (const resource of documentResources(plan.document)) {
    pinned.push(await pinResource(stores, plan.tenant, resource));
  }
  return pinned;
};

const pinResource = async (
  stores: { readonly resources: Pick<ResourceStore, "get">; readonly trees: Pick<TreeStore, "missing"> },
  tenant: string,
  resource: DocumentResource,
): Promise<PinnedResource> => {
  const { name, access } = resource;
  const project = resource.project === undefined ? {} : { project: resource.project };
  if (resource.tree !== undefined) {
    const lacking = resource.tree === emptyTree.sha256 ? [] : await stores.trees.missing([resource.tree]);
    if (lacking.length > 0) {
      throw contentMissing(`/projectResources/${name}/tree`, { contents: [], directories: lacking });
    }
    return { name, ...project, baseTree: resource.tree, access };
  }
  if (resource.project === undefined) return { name, baseTree: emptyTree.sha256, access };
  const record = await stores.resources.get({ tenant, kind: "projects", id: resource.project });
  if (record === undefined || record.deleted) {
    const field = `/projectResources/${name}/project`;
    throw new ValidationError({
      code: "unknown_resource",
      field,
      message: `${field} names the project ${resource.project}, which does not exist. Write it first (PUT /v1/projects/${resource.project}), or give a tree.`,
      details: { project: resource.project },
    });
  }
  const body = z.safeParse(projectBody, record.body);
  if (!body.success) {
    throw new ValidationError({
      field: `/projectResources/${name}/project`,
      message: `The project ${resource.project} has no tree.`,
    });
  }
  return { name, project: resource.project, revision: record.revision, baseTree: body.data.tree, access };
};
