import type { ActionRequest } from "../api/plan-requests.ts";
import { canonicalSha256 } from "../canonical/canonical-json.ts";
import { ValidationError } from "../errors/planledger-error.ts";

/** Of what was asked for, with what equals a default left out. */
export const actionRequestSha256 = (request: ActionRequest): string => {
  const { args = {}, ...others } = request;
  return canonicalSha256({
    ...Object.fromEntries(Object.entries(others).filter(([, value]) => value !== undefined)),
    ...(Object.keys(args).length === 0 ? {} : { args }),
  });
};

/** What is wrong with the plan that an action made, as a fault of the action with these arguments. */
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
