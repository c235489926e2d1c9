import { PlanledgerError } from "../errors/planledger-error.ts";
import { type ValidationIssue, validationErrorOf } from "../errors/validation-issue.ts";
import type { PinnedTool } from "../plan/compiled-plan.ts";
import type { PlanDocument } from "../plan/plan-document.ts";
import { maxListedIssues } from "../plan/plan-limits.ts";
import { toolNames } from "../plan/tool-names.ts";
import { resourceId } from "../resource/resource-id.ts";
import type { ResourceRecord, ResourceStore } from "../resource/resource-store.ts";
import { toolDefinitionOfItem } from "../tools/external/tool-item.ts";
import type { ToolRegistry } from "../tools/tool-registry.ts";

/** Where a tool is looked for whose name has no namespace, before all others. */
const defaultNamespace = "local";
const maximumPinned = 64;

/**
 * The synced tools that a plan calls, as they are now. A call names a built-in tool by its name, which always wins; or a
 * synced one by its id, or by its name alone: `local/NAME`, or else the only one of that name in any namespace. Names that
 * lead nowhere are left out, for `checkPlanTools` to refuse; a name that leads to several tools, and a tool whose definition
 * cannot be used, are refused here, with the field.
 */
export const pinTools = async (
  ports: { readonly resources: Pick<ResourceStore, "get" | "list">; readonly tools: ToolRegistry },
  plan: { readonly tenant: string; readonly document: PlanDocument },
): Promise<readonly PinnedTool[]> => {
  const asked = [...toolNames(plan.document)].filter(([name]) => ports.tools.get(name) === undefined);
  if (asked.length > maximumPinned) {
    const [, field = ""] = asked[maximumPinned] ?? [];
    throw refusal({
      field,
      code: "limit_exceeded",
      message: `is one synced tool too many: a plan may call ${maximumPinned}`,
      details: { limit: maximumPinned, found: asked.length },
    });
  }
  const find = finder(ports.resources, plan.tenant);
  const pinned: PinnedTool[] = [];
  for (const [name, field] of asked) {
    const found = await find(name);
    if (found.length > 1) throw refusal({ field, ...ambiguous(name, found) });
    const [record] = found;
    if (record !== undefined) pinned.push(pinnedTool({ name, field }, record));
  }
  return pinned;
};

const refusal = (issue: ValidationIssue) => validationErrorOf([issue], maxListedIssues);

const ambiguous = (name: string, found: readonly ResourceRecord[]) => {
  const allowed = found.map(({ id }) => id);
  return {
    code: "unknown_tool" as const,
    message: `is '${name}', and several synced tools have that name; say which one: ${allowed.join(", ")}`,
    details: { allowed },
  };
};

const pinnedTool = (
  { name, field }: { readonly name: string; readonly field: string },
  { id, revision, contentSha256, body }: ResourceRecord,
): PinnedTool => {
  try {
    return { name, id, revision, contentSha256, definition: toolDefinitionOfItem(body) };
  } catch (error) {
    if (!(error instanceof PlanledgerError)) throw error;
    throw refusal({
      field,
      code: "unknown_tool",
      message: `is the synced tool ${id}, whose definition (revision ${revision}) cannot be used: ${error.message.replace(/\.$/, "")}`,
      details: { tool: id, revision },
    });
  }
};

/** Finds tools by name; the listing of all of them is read once, and only when a name is in no other way found. */
const finder = (resources: Pick<ResourceStore, "get" | "list">, tenant: string) => {
  let listed: Promise<readonly string[]> | undefined;
  const get = async (id: string): Promise<readonly ResourceRecord[]> => {
    const record = await resources.get({ tenant, kind: "tools", id });
    return record === undefined || record.deleted ? [] : [record];
  };
  return async (name: string): Promise<readonly ResourceRecord[]> => {
    const id = resourceId.safeParse(name.includes("/") ? name : `${defaultNamespace}/${name}`);
    if (!id.success) return [];
    const direct = await get(id.data);
    if (direct.length > 0 || name.includes("/")) return direct;
    listed ??= listTools(resources, tenant);
    const suffix = id.data.slice(defaultNamespace.length);
    const ids = (await listed).filter((candidate) => candidate.endsWith(suffix));
    return (await Promise.all(ids.slice(0, 10).map(get))).flat();
  };
};

const listTools = async (
  resources: Pick<ResourceStore, "list">,
  tenant: string,
): Promise<readonly string[]> => {
  const ids: string[] = [];
  for (let cursor: string | undefined, more = true; more; more = cursor !== undefined) {
    const page = await resources.list({
      tenant,
      kind: "tools",
      limit: 1000,
      ...(cursor === undefined ? {} : { cursor }),
    });
    ids.push(...page.resources.filter(({ deleted }) => !deleted).map(({ id }) => id));
    cursor = page.cursor;
  }
  return ids;
};
