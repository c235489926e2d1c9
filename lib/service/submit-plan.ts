import type { Caller } from "../access/caller.ts";
import type { AcceptedReply } from "../api/plan-replies.ts";
import type { ActionRequest } from "../api/plan-requests.ts";
import { ConflictError, ValidationError } from "../errors/planledger-error.ts";
import { faultFields } from "../log/fault-fields.ts";
import type { Log } from "../log/log.ts";
import { compilePlan, type PlanCompilation } from "../plan/compile-plan.ts";
import type { CompiledPlan, PlanRecord, PlanSource } from "../plan/compiled-plan.ts";
import { documentSha256 } from "../plan/document-sha256.ts";
import type { PlanDocument } from "../plan/plan-document.ts";
import { identifierPattern, identifierRule, isServerPlanId, serverPlanIdPrefix } from "../plan/plan-id.ts";
import type { PlanStore } from "../plan/plan-store.ts";
import type { SubmissionQuota } from "../quota/submission-quota.ts";
import type { ResourceStore } from "../resource/resource-store.ts";
import type { Clock, IdSource } from "../run/clock.ts";
import { firstRun } from "../run/first-run.ts";
import type { FrontierStore, HintQueue } from "../run/run-store.ts";
import type { ToolRegistry } from "../tools/tool-registry.ts";
import { actionRequestSha256, errorOfAction } from "./action-request.ts";
import { changedResource, requireProfile } from "./apply-target.ts";
import { checkPlanTools } from "./check-plan-tools.ts";
import { counted } from "./counted.ts";
import { pinResources } from "./pin-resources.ts";
import { submittedActionRequest, submittedDocument } from "./plan-request-body.ts";
import { projectBody } from "./projects.ts";
import type { StoresOf } from "./tenant-stores.ts";
import { toolsOfDocument } from "./tools-of-plan.ts";

export interface SubmitPorts {
  readonly plans: Pick<PlanStore, "create" | "enlist" | "get" | "resolve">;
  readonly frontiers: FrontierStore;
  readonly resources: Pick<ResourceStore, "get" | "list">;
  readonly hints: HintQueue;
  readonly storesOf: StoresOf;
  readonly tools: ToolRegistry;
  readonly quota: SubmissionQuota;
  readonly clock: Clock;
  readonly ids: IdSource;
  readonly log: Log;
}

/**
 * Takes a plan: content first, then the plan (once, if absent), then run 1 with its frontier and the plan's place in the list, then a hint. Whatever dies in
 * between, the same submission again completes it, and once the frontier stands the reconciler does. The same document
 * under the id is the same 202 (F5, F13), another one a `ConflictError` (`plan_exists`). Of a plan that an action makes the
 * document is what counts; the same request again is the same plan all the same, also when the action was edited since.
 */
export const submitPlan = async (
  ports: SubmitPorts,
  submission: { readonly caller: Caller; readonly planId: string; readonly body: unknown },
): Promise<AcceptedReply> => {
  const { tenant } = submission.caller;
  const planId = await submittedId(ports, tenant, submission.planId);
  const standing = await standingPlan(ports, { ...submission, planId });
  const [{ frontier }] = await Promise.all([
    ports.frontiers.create(firstRun(standing, ports.ids)),
    ports.plans.enlist(standing),
  ]);
  if (frontier.state.phase === "submitted") await sendHint(ports, standing);
  return {
    planId,
    serverPlanId: standing.serverPlanId,
    status: "submitted",
    run: 1,
    message: `Plan ${planId} was accepted with ${counted(standing.plan.decisionCount, "decision")}.`,
  };
};

const submittedId = async (ports: SubmitPorts, tenant: string, planId: string): Promise<string> => {
  const refusal = (rule: string) => new ValidationError({ field: "planId", message: `planId ${rule}.` });
  if (!identifierPattern.test(planId)) throw refusal(`must be ${identifierRule}`);
  if (!isServerPlanId(planId)) return planId;
  const known = await ports.plans.resolve({ tenant, serverPlanId: planId });
  if (known !== undefined) return known;
  throw refusal(`must not start with ${serverPlanIdPrefix}: such ids are given by the service`);
};

/** The plan that stands under an id and is what the submission asks for; made by it, where none does. */
const standingPlan = async (
  ports: SubmitPorts,
  submission: { readonly caller: Caller; readonly planId: string; readonly body: unknown },
): Promise<PlanRecord> => {
  const { caller, planId, body } = submission;
  const { tenant } = caller;
  const request = submittedActionRequest(body);
  const known = await ports.plans.get({ tenant, planId });
  const requestSha256 = request === undefined ? undefined : actionRequestSha256(request);
  if (known?.source !== undefined && known.source.requestSha256 === requestSha256) return known;
  const made =
    request === undefined
      ? { document: await submittedDocument(ports.storesOf(tenant), body) }
      : await (await import("./plan-from-action-request.ts")).planFromActionRequest(ports.resources, {
          tenant,
          request,
        });
  const hash = documentSha256(made.document);
  const standing = known ?? (await createPlan(ports, { caller, planId, ...made, documentSha256: hash }));
  const isSame =
    standing.documentSha256 === hash ||
    (standing.source !== undefined && standing.source.requestSha256 === requestSha256);
  if (!isSame) throw planExists(standing, hash);
  return standing;
};

const createPlan = async (
  ports: SubmitPorts,
  accepted: {
    readonly caller: Caller;
    readonly planId: string;
    readonly document: PlanDocument;
    readonly documentSha256: string;
    readonly source?: PlanSource;
  },
): Promise<PlanRecord> => {
  const { caller, planId, source } = accepted;
  const { tenant } = caller;
  const stores = ports.storesOf(tenant);
  const { plan, contents } = await compiled(ports, { tenant, ...accepted });
  // What is refused here has written nothing; sent again it is this very plan.
  await ports.quota.admit({ tenant, decisions: plan.decisionCount });
  if (contents.length > 0) await stores.content.put(contents);
  return ports.plans.create({
    v: 1,
    tenant,
    planId,
    serverPlanId: `${serverPlanIdPrefix}${ports.ids.ulid()}`,
    documentSha256: accepted.documentSha256,
    submittedBy: caller.principal,
    submittedAtEpochMs: ports.clock.now(),
    ...(source === undefined ? {} : { source }),
    plan,
  });
};

export type CheckPorts = Pick<SubmitPorts, "resources" | "storesOf" | "tools">;

/** Throws what a submission of this would be refused for now, and keeps nothing. */
export const checkSubmission = async (
  ports: CheckPorts,
  order: { readonly tenant: string; readonly request: ActionRequest },
): Promise<void> => {
  const made = await (await import("./plan-from-action-request.ts")).planFromActionRequest(
    ports.resources,
    order,
  );
  await compiled(ports, { tenant: order.tenant, ...made });
};

/** The plan as it will run, checked against what it refers to: tools, projects, trees. */
const compiled = async (
  ports: CheckPorts,
  accepted: { readonly tenant: string; readonly document: PlanDocument; readonly source?: PlanSource },
): Promise<PlanCompilation> => {
  const { tenant, document, source } = accepted;
  try {
    const { pinnedTools, registry } = await toolsOfDocument(ports, { tenant, document });
    checkPlanTools(document, registry);
    const { trees } = ports.storesOf(tenant);
    const pinnedResources = await pinResources({ resources: ports.resources, trees }, { tenant, document });
    const compilation = compilePlan(document, { pinnedResources, pinnedTools });
    await checkProfile(ports, tenant, compilation.plan);
    return compilation;
  } catch (error) {
    throw source === undefined ? error : errorOfAction(source.action, error);
  }
};

/** A project names the least strict profile that it allows; one that does not exist (yet) names none. */
const checkProfile = async (
  { resources }: Pick<SubmitPorts, "resources">,
  tenant: string,
  plan: CompiledPlan,
): Promise<void> => {
  const project = changedResource(plan)?.project;
  if (project === undefined) return;
  const record = await resources.get({ tenant, kind: "projects", id: project });
  if (record === undefined || record.deleted) return;
  const { settings } = projectBody.parse(record.body);
  requireProfile({ profile: plan.automationProfile, project, settings });
};

/** A hint that is lost here is sent by the reconciler: the plan is accepted either way. */
const sendHint = async (ports: SubmitPorts, { tenant, planId }: PlanRecord): Promise<void> => {
  try {
    await ports.hints.send({ v: 1, tenant, planId, run: 1 });
  } catch (fault) {
    ports.log.write({ level: "warn", event: "hint_not_sent", tenant, planId, run: 1, ...faultFields(fault) });
  }
};

const planExists = (standing: PlanRecord, submitted: string): ConflictError =>
  new ConflictError({
    code: "plan_exists",
    message: `There is a plan ${standing.planId} with another document. Submit this one under another id, or send the first document again.`,
    details: {
      planId: standing.planId,
      serverPlanId: standing.serverPlanId,
      documentSha256: standing.documentSha256,
      submittedDocumentSha256: submitted,
      submittedAt: new Date(standing.submittedAtEpochMs).toISOString(),
      submittedBy: standing.submittedBy,
    },
  });
