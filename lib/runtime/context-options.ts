import { ValidationError } from "../errors/planledger-error.ts";
import { parsePlanDocument } from "../plan/parse-plan-document.ts";
import { automationProfiles } from "../plan/plan-document.ts";
import { identifierPattern, identifierRule } from "../plan/plan-id.ts";
import { invalidArgument, requireArguments, requireMethods } from "./constructor-argument.ts";
import type { PlanExecutionContextOptions } from "./plan-execution-context.ts";

const owner = "PlanExecutionContext";
const profiles: readonly string[] = automationProfiles;

/** Checks what a `PlanExecutionContext` is made of; throws `ValidationError` that names the first field at fault. */
export function requireContextOptions(options: PlanExecutionContextOptions): void {
  requireArguments(owner, options);
  requireId("planId", options.planId);
  if (options.decisionRootId !== undefined) {
    requireId("decisionRootId", options.decisionRootId);
  }
  const { sandboxRoot, automationProfile, projectResources, resourceBindings } = options;
  if (sandboxRoot !== undefined && (typeof sandboxRoot !== "string" || !/^[^\0]+$/.test(sandboxRoot))) {
    throw invalidArgument({
      owner,
      field: "sandboxRoot",
      value: sandboxRoot,
      expected: "the path of a directory, or left out",
    });
  }
  if (automationProfile !== undefined && !profiles.includes(automationProfile)) {
    const expected = `one of ${profiles.join(", ")}`;
    const { message } = invalidArgument({
      owner,
      field: "automationProfile",
      value: automationProfile,
      expected,
    });
    throw new ValidationError({
      field: "automationProfile",
      code: "unknown_profile",
      message,
      details: { allowed: profiles },
    });
  }
  requirePorts(options);
  requireResources(projectResources, resourceBindings);
}

function requireId(field: string, value: unknown): void {
  if (typeof value !== "string" || !identifierPattern.test(value)) {
    throw invalidArgument({ owner, field, value, expected: identifierRule });
  }
}

function requirePorts(options: PlanExecutionContextOptions): void {
  const { changesetStore, clock, ids } = options;
  if (changesetStore !== undefined) {
    const methods = ["start", "append", "seal", "get", "content"];
    requireMethods(owner, { field: "changesetStore", value: changesetStore, methods });
  }
  if (clock !== undefined) {
    requireMethods(owner, { field: "clock", value: clock, methods: ["now"] });
  }
  if (ids !== undefined) {
    requireMethods(owner, { field: "ids", value: ids, methods: ["ulid"] });
  }
}

/** By the same rules as those of a plan document; its JSON pointers become names of fields. */
function requireResources(projectResources: unknown, resourceBindings: unknown): void {
  const resources = {
    ...(projectResources !== undefined && { projectResources }),
    ...(resourceBindings !== undefined && { resourceBindings }),
  };
  try {
    parsePlanDocument({ ...resources, decisions: [] });
  } catch (error) {
    if (!(error instanceof ValidationError)) {
      throw error;
    }
    const field = error.field.replace(/^\//, "").replaceAll("/", ".");
    throw new ValidationError({
      field,
      code: error.code,
      message: `${owner}: ${error.message}`,
      details: { ...error.details, field },
      cause: error,
    });
  }
}
