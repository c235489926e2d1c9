import { jsonReply } from "#lib/api/api-reply.ts";
import * as applyRoutes from "#lib/api/apply-routes.ts";
import { type CallerRequest, type Endpoint, endpoint, parameter } from "#lib/api/endpoint.ts";
import * as routes from "#lib/api/plan-routes.ts";
import type { TracePorts } from "#lib/service/entry-tracer.ts";
import { listDecisions } from "#lib/service/list-decisions.ts";
import { listEntries } from "#lib/service/list-entries.ts";
import { listEvents } from "#lib/service/list-events.ts";
import { listPlans } from "#lib/service/list-plans.ts";
import { planKeyOf } from "#lib/service/plan-view-ports.ts";
import { readStatus } from "#lib/service/read-status.ts";
import { contentReply } from "../content-reply.ts";
import { derivedDiffReply, diffReply } from "./diff-reply.ts";

/** What is read of plans. */
export const planEndpoints = (ports: TracePorts): readonly Endpoint[] => {
  const keyOf = (request: CallerRequest<unknown, unknown>) =>
    planKeyOf(ports, request.caller, parameter(request, "planId"));
  const runKeyOf = async (request: CallerRequest<{ readonly run?: number | undefined }, unknown>) => {
    const { run } = request.query;
    return { ...(await keyOf(request)), ...(run === undefined ? {} : { run }) };
  };
  const derivedKeyOf = async (request: CallerRequest<unknown, unknown>) => ({
    ...(await keyOf(request)),
    digest: parameter(request, "digest"),
  });
  return [
    endpoint(routes.listPlans, async ({ caller, query }) =>
      jsonReply(200, await listPlans(ports, { tenant: caller.tenant, ...query })),
    ),
    endpoint(routes.readPlanStatus, async (request) =>
      jsonReply(200, await readStatus(ports, await runKeyOf(request))),
    ),
    endpoint(routes.readDecisions, async (request) =>
      jsonReply(200, await listDecisions(ports, await runKeyOf(request), request.query)),
    ),
    endpoint(routes.readEvents, async (request) =>
      jsonReply(200, await listEvents(ports, await keyOf(request), request.query)),
    ),
    endpoint(routes.readChangeset, async (request) =>
      jsonReply(200, await listEntries(ports, await runKeyOf(request), request.query)),
    ),
    // What makes ledgers, diffs and traces is loaded by the requests that ask for one.
    endpoint(routes.readLedger, async (request) => {
      const { listLedger } = await import("#lib/service/list-ledger.ts");
      return jsonReply(200, await listLedger(ports, await keyOf(request), request.query));
    }),
    endpoint(routes.readDiff, async (request) => {
      const { diffPage } = await import("#lib/service/diff-page.ts");
      const page = await diffPage(ports, await keyOf(request), request.query);
      return diffReply(parameter(request, "planId"), request.query, page);
    }),
    endpoint(applyRoutes.readDerived, async (request) => {
      const { derivedPage } = await import("#lib/service/derived-reply.ts");
      return jsonReply(200, await derivedPage(ports, await derivedKeyOf(request), request.query));
    }),
    endpoint(applyRoutes.readDerivedDiff, async (request) => {
      const { derivedDiffPage } = await import("#lib/service/derived-reply.ts");
      const page = await derivedDiffPage(ports, await derivedKeyOf(request), request.query);
      return derivedDiffReply(parameter(request, "planId"), parameter(request, "digest"), page);
    }),
    endpoint(applyRoutes.traceChanges, async (request) => {
      const { traceChanges } = await import("#lib/service/trace-changes.ts");
      return jsonReply(200, await traceChanges(ports, await keyOf(request), request.query));
    }),
    endpoint(routes.readPlanContent, async (request) => {
      const sha256 = parameter(request, "sha256");
      const { decision } = request.query;
      const { planContent } = await import("#lib/service/plan-content.ts");
      const bytes = await planContent(ports, await runKeyOf(request), { sha256, decision });
      return contentReply(ports.storesOf(request.caller.tenant), { sha256, bytes });
    }),
  ];
};
