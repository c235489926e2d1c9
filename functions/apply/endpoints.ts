import type { Caller } from "#lib/access/caller.ts";
import { jsonReply } from "#lib/api/api-reply.ts";
import type { JudgeRequest } from "#lib/api/apply-requests.ts";
import * as routes from "#lib/api/apply-routes.ts";
import { type Endpoint, endpoint, parameter } from "#lib/api/endpoint.ts";
import { applyPlan, rollbackPlan } from "#lib/service/apply-plan.ts";
import type { DerivePorts } from "#lib/service/derive-changeset.ts";
import { type JudgePorts, judgePlan } from "#lib/service/judge-plan.ts";

export type ApplyEndpointPorts = Omit<DerivePorts, "tools"> &
  JudgePorts & {
    /** Loaded for the requests that ask which tools have effects outside. */
    readonly tools: () => Promise<DerivePorts["tools"]>;
  };

/** What is decided about changesets: verdicts, derived ones, applies and rollbacks. */
export const applyEndpoints = (ports: ApplyEndpointPorts): readonly Endpoint[] => [
  endpoint(routes.applyPlan, async (request) =>
    jsonReply(202, await applyPlan(ports, { ...planOf(request), request: request.body })),
  ),
  endpoint(routes.rollbackPlan, async (request) =>
    jsonReply(202, await rollbackPlan(ports, { ...planOf(request), digest: request.body.digest })),
  ),
  endpoint(routes.approvePlan, async (request) => jsonReply(202, await judge(ports, request, "approved"))),
  endpoint(routes.rejectPlan, async (request) => jsonReply(202, await judge(ports, request, "rejected"))),
  endpoint(routes.deriveChangeset, async (request) => {
    const { deriveChangeset } = await import("#lib/service/derive-changeset.ts");
    const { tools, ...others } = ports;
    const derived = await deriveChangeset(
      { ...others, tools: await tools() },
      { ...planOf(request), request: request.body },
    );
    return jsonReply(201, derived);
  }),
];

interface PlanRequest {
  readonly caller: Caller;
  readonly parameters: Readonly<Record<string, string>>;
}

const planOf = (request: PlanRequest) => ({
  caller: request.caller,
  planId: parameter(request, "planId"),
});

const judge = (
  ports: JudgePorts,
  request: PlanRequest & { readonly body: JudgeRequest },
  verdict: "approved" | "rejected",
) => judgePlan(ports, { ...planOf(request), verdict, request: request.body });
