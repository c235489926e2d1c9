import type { ActionRequest } from "../api/plan-requests.ts";
import { PlanledgerError, ValidationError } from "../errors/planledger-error.ts";
import type { PlanSource } from "../plan/compiled-plan.ts";
import { parsePlanDocument } from "../plan/parse-plan-document.ts";
import type { PlanDocument } from "../plan/plan-document.ts";
import { type ActionDefinition, actionDefinitionOfItem } from "../resource/action-definition.ts";
import { planFromAction } from "../resource/plan-from-action.ts";
import type { ResourceRecord, ResourceStore } from "../resource/resource-store.ts";
import { actionRequestSha256, errorOfAction } from "./action-request.ts";

/**
 * The plan document that an action, as it is now, makes of a request, and where it comes from. The request's own name, profile
 * and bindings stand above the template's, resource by resource. Errors name the field of the request.
 */
export const planFromActionRequest = async (
  resources: Pick<ResourceStore, "get">,
  { tenant, request }: { readonly tenant: string; readonly request: ActionRequest },
): Promise<{ readonly document: PlanDocument; readonly source: PlanSource }> => {
  const record = await findAction(resources, { tenant, id: request.action });
  const action = usableAction(record);
  const { action: id, args = {}, projectResources = {}, resourceBindings = {}, ...above } = request;
  const template = planFromAction({ action: { ...action, name: id }, args });
  const document = {
    ...template,
    ...Object.fromEntries(Object.entries(above).filter(([, value]) => value !== undefined)),
    ...merged("projectResources", template, projectResources),
    ...merged("resourceBindings", template, resourceBindings),
  };
  const { revision, contentSha256 } = record;
  return {
    document: parsed(id, document),
    source: { action: id, revision, contentSha256, requestSha256: actionRequestSha256(request) },
  };
};

const parsed = (action: string, document: unknown): PlanDocument => {
  try {
    return parsePlanDocument(document);
  } catch (error) {
    throw errorOfAction(action, error);
  }
};

const merged = (
  member: "projectResources" | "resourceBindings",
  template: Readonly<Record<string, unknown>>,
  given: Readonly<Record<string, unknown>>,
): Readonly<Record<string, unknown>> => {
  if (Object.keys(given).length === 0) return {};
  const below = template[member];
  const standing: Readonly<Record<string, unknown>> = isRecord(below) ? { ...below } : {};
  const both = Object.entries(given).map(([name, value]) => {
    const before = Object.hasOwn(standing, name) ? standing[name] : undefined;
    return [name, isRecord(before) && isRecord(value) ? { ...before, ...value } : value] as const;
  });
  return { [member]: { ...standing, ...Object.fromEntries(both) } };
};

const isRecord = (value: unknown): value is object =>
  typeof value === "object" && value !== null && !Array.isArray(value);

const findAction = async (
  resources: Pick<ResourceStore, "get">,
  { tenant, id }: { readonly tenant: string; readonly id: string },
): Promise<ResourceRecord> => {
  const record = await resources.get({ tenant, kind: "actions", id });
  if (record !== undefined && !record.deleted) return record;
  throw new ValidationError({
    code: "unknown_resource",
    field: "/action",
    message: `/action names the action ${id}, which ${record === undefined ? "does not exist" : "was deleted"}. Sync it first, or submit a plan document.`,
    details: { action: id },
  });
};

const usableAction = ({ id, revision, body }: ResourceRecord): ActionDefinition => {
  try {
    return actionDefinitionOfItem(body);
  } catch (error) {
    if (!(error instanceof PlanledgerError)) throw error;
    throw new ValidationError({
      field: "/action",
      message: `The action ${id} (revision ${revision}) cannot be used. ${error.message}`,
      details: { action: id, revision },
      cause: error,
    });
  }
};
