import middy from "@middy/core";
import type { Context } from "aws-lambda";
import * as z from "zod/mini";
import { reconcileRuns } from "#lib/run/reconcile-runs.ts";
import { dynamodbDeliveryStore } from "#lib/webhook/dynamodb-delivery-store.ts";
import { reconcileDeliveries } from "#lib/webhook/reconcile-deliveries.ts";
import { type Environment, readEnvironment, reconcileEnvironment } from "../environment.ts";
import { inInvocation, traceHeaderOf } from "../invocation.ts";
import { lateDeliveries } from "../late-deliveries.ts";
import { lazyHandler } from "../lazy-handler.ts";
import { type ProcessPorts, processPorts } from "../process-ports.ts";
import { wireApplies, wireHints, wirePhaseHints, wirePlanStores } from "../run-ports.ts";

/** `detail.all`: every open run, due or not, since the queue that held its hints may be gone. */
const scheduleEvent = z.object({ detail: z.optional(z.object({ all: z.optional(z.boolean()) })) });
const endOfTimeEpochSeconds = 9_999_999_999;

export type ReconcileHandler = (event: unknown, context: Context) => Promise<{ readonly hints: number }>;

/** Entry: the reconciler, on its schedule and at the start of the embedded service. */
export const createHandler = (
  environment: Environment,
  ports: ProcessPorts = processPorts,
): ReconcileHandler => {
  const settings = readEnvironment(reconcileEnvironment, environment);
  const { frontiers, openRuns, client, tableName } = wirePlanStores(settings, ports);
  const hints = wireHints(settings);
  const applies = wireApplies(settings);
  const phaseHints = wirePhaseHints(settings);
  const deliveries = dynamodbDeliveryStore({ client, tableName, ids: ports.ids });
  const deliveryQueue = lateDeliveries(settings, settings.DELIVERIES_QUEUE_URL);
  const handler = middy<unknown, { readonly hints: number }>(async (event: unknown) => {
    const all = z.parse(scheduleEvent, event).detail?.all === true;
    const dueByEpochSeconds = all ? endOfTimeEpochSeconds : Math.floor(ports.clock.now() / 1000);
    const sent = await reconcileRuns(
      { dueByEpochSeconds },
      { frontiers, openRuns, hints, applies, phaseHints, clock: ports.clock },
    );
    const resent = await reconcileDeliveries(
      { dueByEpochSeconds },
      { deliveries, queue: deliveryQueue, clock: ports.clock },
    );
    ports.log.write({
      level: "info",
      event: "runs_reconciled",
      hints: sent.hints,
      messages: resent.messages,
      metrics: { runsRescued: sent.hints },
    });
    return sent;
  });
  return async (event, context) =>
    inInvocation({ requestId: context.awsRequestId, traceHeader: traceHeaderOf() }, () =>
      handler(event, context),
    );
};

export const handler = lazyHandler(() => createHandler(process.env));
