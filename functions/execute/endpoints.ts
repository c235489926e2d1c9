import type { Caller } from "#lib/access/caller.ts";
import { jsonReply } from "#lib/api/api-reply.ts";
import { type Endpoint, endpoint, openEndpoint, parameter } from "#lib/api/endpoint.ts";
import { cancelPlan, executePlan, pausePlan, resumePlan } from "#lib/api/plan-routes.ts";
import { readKeys } from "#lib/api/service-routes.ts";
import { type ControlPlanPorts, cancel, pause } from "#lib/service/control-plan.ts";
import type { ResumePlanPorts } from "#lib/service/resume-plan.ts";
import { signingKeys } from "#lib/service/signing-keys.ts";
import type { SubmitPorts } from "#lib/service/submit-plan.ts";
import type { ToolRegistry } from "#lib/tools/tool-registry.ts";

export type ExecutePorts = Omit<SubmitPorts & ControlPlanPorts & ResumePlanPorts, "tools"> & {
  /** Loaded for the requests that name tools. */
  readonly tools: () => Promise<ToolRegistry>;
};

/** Submit plans, control their runs, and tell under which key their ledgers are signed. */
export const executeEndpoints = (ports: ExecutePorts): readonly Endpoint[] => [
  endpoint(executePlan, async (request) => {
    const { caller, body } = request;
    const planId = parameter(request, "planId");
    const { submitPlan } = await import("#lib/service/submit-plan.ts");
    return jsonReply(202, await submitPlan(await withTools(ports), { caller, planId, body }));
  }),
  endpoint(pausePlan, async (request) => jsonReply(202, await pause(ports, orderOf(request)))),
  endpoint(cancelPlan, async (request) => jsonReply(202, await cancel(ports, orderOf(request)))),
  endpoint(resumePlan, async (request) => {
    const { caller, body } = request;
    const { resume } = await import("#lib/service/resume-plan.ts");
    return jsonReply(
      202,
      await resume(await withTools(ports), { caller, planId: parameter(request, "planId"), request: body }),
    );
  }),
  openEndpoint(readKeys, async () => jsonReply(200, await signingKeys(ports.signer))),
];

const withTools = async ({ tools, ...ports }: ExecutePorts) => ({ ...ports, tools: await tools() });

const orderOf = (request: {
  readonly caller: Caller;
  readonly parameters: Readonly<Record<string, string>>;
  readonly body: { readonly reason?: string | undefined };
}) => ({
  caller: request.caller,
  planId: parameter(request, "planId"),
  reason: request.body.reason,
});
