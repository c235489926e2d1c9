import { ConflictError } from "../errors/planledger-error.ts";
import type { AutomationProfile, CompiledPlan, PinnedResource, PlanRecord } from "../plan/compiled-plan.ts";
import { automationProfiles } from "../plan/plan-document.ts";
import type { ResourceStore } from "../resource/resource-store.ts";
import { isLaxer } from "../run/apply-gate.ts";
import { type ProjectRevision, projectBody } from "./projects.ts";

export interface WrittenResource extends PinnedResource {
  readonly project: string;
}

/** The one resource that a plan writes; `undefined` when it only reads. */
export const changedResource = ({ resources }: Pick<CompiledPlan, "resources">): PinnedResource | undefined =>
  resources.find(({ access }) => access === "write");

/** The resource that a plan writes, which must be a project's: else `no_project`. */
export function writtenResource({ planId, plan }: PlanRecord): WrittenResource {
  const written = changedResource(plan);
  if (written?.project !== undefined) return { ...written, project: written.project };
  throw new ConflictError({
    code: "no_project",
    message: `Plan ${planId} writes to no project of the service, so there is nothing here to apply it to. Apply it to a directory (planledger plan apply ${planId} --digest D --to DIR), or name a project in its projectResources.`,
    details: { planId },
  });
}

/** A project's latest revision as the target of an apply: one that is not there is `no_project`. */
export async function readTarget(
  ports: { readonly resources: Pick<ResourceStore, "get"> },
  key: { readonly tenant: string; readonly project: string },
): Promise<ProjectRevision> {
  const { tenant, project } = key;
  const record = await ports.resources.get({ tenant, kind: "projects", id: project });
  if (record !== undefined && !record.deleted) return { record, body: projectBody.parse(record.body) };
  throw new ConflictError({
    code: "no_project",
    message: `The project ${project} ${record === undefined ? "does not exist" : "was deleted"}, so nothing can be applied to it. Write it first (PUT /v1/projects/${project}).`,
    details: { project },
  });
}

/** The least strict profile that a project allows: `leastStrictProfile` in its settings; without one it allows all. */
export const leastStrictProfile = (settings: Readonly<Record<string, unknown>>): AutomationProfile =>
  automationProfiles.find((profile) => profile === settings.leastStrictProfile) ?? "auto";

/** Refuses a plan whose profile is laxer than what the project allows (`profile_too_lax`). */
export function requireProfile(plan: {
  readonly profile: AutomationProfile;
  readonly project: string;
  readonly settings: Readonly<Record<string, unknown>>;
}): void {
  const allowed = leastStrictProfile(plan.settings);
  if (!isLaxer(plan.profile, allowed)) return;
  throw new ConflictError({
    code: "profile_too_lax",
    message: `The project ${plan.project} demands the automation profile ${allowed} or a stricter one (auto < manual < review); the plan has ${plan.profile}.`,
    details: { project: plan.project, profile: plan.profile, leastStrictProfile: allowed },
  });
}
