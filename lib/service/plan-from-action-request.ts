import type { ActionRequest } from "../api/plan-requests.ts";
import { canonicalSha256 } from "../canonical/canonical-json.ts";
import { PlanledgerError, ValidationError } from "../errors/planledger-error.ts";
import type { PlanSource } from "../plan/compiled-plan.ts";
import { parsePlanDocument } from "../plan/parse-plan-document.ts";
import type { PlanDocument } from "../plan/plan-document.ts";
import { type ActionDefinition, actionDefinitionOfItem } from "../resource/action-definition.ts";
import { planFromAction } from "../resource/plan-from-action.ts";
import type { ResourceRecord, ResourceStore } from "../resource/resource-store.ts";

/** Of what was asked for, with what equals a default left out. */
export const actionRequestSha256 = (request: ActionRequest): string => {
  const { args = {}, ...others } = request;
  return canonicalSha256({
    ...Object.fromEntries(Object.entries(others).filter(([, value]) => value !== undefined)),
    ...(Object.keys(args).length === 0 ? {} : { args }),
  });
};

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
  const document = ofAction(id, () =>
    parsePlanDocument({
      ...template,
      ...Object.fromEntries(Object.entries(above).filter(([, value]) => value !== undefined)),
      ...merged("projectResources", template, projectResources),
      ...merged("resourceBindings", template, resourceBindings),
    }),
  );
  const { revision, contentSha256 } = record;
  return {
    document,
    source: { action: id, revision, contentSha256, requestSha256: actionRequestSha256(request) },
  };
};

/** Runs a check of the plan that an action made; what it refuses is told as a fault of the action with these arguments. */
export const ofAction = <Result>(action: string, check: () => Result): Result => {
  try {
    return check();
  } catch (error) {
    throw errorOfAction(action, error);
  }
};

export const errorOfAction = (action: string, error: unknown): unknown =>
  error instanceof ValidationError
    ? new ValidationError({
        code: error.code,
        field: "/action",
        message: `The plan that the action ${action} makes of these arguments is refused. ${error.message}`,
        details: { ...error.details, action, planField: error.field },
        cause: error,
      })
    : error;

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
