import { canonicalSha256 } from "../canonical/canonical-json.ts";
import type { DecisionDocument, PlanDocument } from "./plan-document.ts";
import { defaultAccess } from "./resource-rules.ts";

/**
 * SHA-256 (hex) of a plan document: its RFC 8785 form with the fields left out that equal their default. Two documents
 * with the same hash are the same plan, however their keys are ordered and whichever defaults they spell out; a
 * default that a later version adds does not turn an old submission into another document.
 */
export function documentSha256(document: PlanDocument): string {
  const { automationProfile, projectResources, resourceBindings, decisions, ...others } = document;
  return canonicalSha256({
    ...present(others),
    ...(automationProfile === undefined || automationProfile === "manual" ? {} : { automationProfile }),
    ...(isEmpty(projectResources) ? {} : { projectResources: resourcesWithoutDefaults(projectResources) }),
    ...(isEmpty(resourceBindings) ? {} : { resourceBindings }),
    decisions: decisions.map(decisionWithoutDefaults),
  });
}

function decisionWithoutDefaults({ dependsOn, toolCalls, ...others }: DecisionDocument): object {
  return {
    ...present(others),
    ...(dependsOn === undefined || dependsOn.length === 0 ? {} : { dependsOn }),
    ...(toolCalls === undefined || toolCalls.length === 0 ? {} : { toolCalls }),
  };
}

function resourcesWithoutDefaults(resources: NonNullable<PlanDocument["projectResources"]>): object {
  const named = Object.entries(resources);
  const byDefault = defaultAccess(named.length);
  return Object.fromEntries(
    named.map(([name, { access, ...others }]) => [
      name,
      { ...present(others), ...(access === undefined || access === byDefault ? {} : { access }) },
    ]),
  );
}

const isEmpty = (record: object | undefined): record is undefined =>
  record === undefined || Object.keys(record).length === 0;

/** A member that is there but `undefined` (from a caller in process) is one that was left out. */
const present = (members: object): object =>
  Object.fromEntries(Object.entries(members).filter(([, value]) => value !== undefined));
