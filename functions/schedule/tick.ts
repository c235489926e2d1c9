import middy from "@middy/core";
import type { Context } from "aws-lambda";
import { dynamodbResourceStore } from "#lib/resource/dynamodb-resource-store.ts";
import { dynamodbDueRecords } from "#lib/schedule/dynamodb-due-records.ts";
import { fireSchedule } from "#lib/service/fire-schedule.ts";
import { type Looked, lookAtDue } from "#lib/service/look-at-due.ts";
import { lookAtDueSource } from "#lib/service/look-at-source.ts";
import { dynamodbSourceRunStore } from "#lib/source/dynamodb-source-run-store.ts";
import { type Environment, readEnvironment, tickEnvironment } from "../environment.ts";
import { inInvocation, traceHeaderOf } from "../invocation.ts";
import { lazyHandler } from "../lazy-handler.ts";
import { type ProcessPorts, processPorts } from "../process-ports.ts";
import { wireQuotas } from "../quotas.ts";
import { wireHints, wireMovingStores, wireTools } from "../run-ports.ts";
import { planScheduleStore, syncSourceStore, wireSourceQueue } from "../schedule-stores.ts";

/** A look takes well below this; one that is begun with less left might be cut off. */
const marginMs = 10_000;

export type TickHandler = (event: unknown, context: Context) => Promise<Looked>;

/** Entry: the tick, every minute. Submits the plans of schedules whose time has come, and sends word of sync sources that are due. */
export const createHandler = (environment: Environment, ports: ProcessPorts = processPorts): TickHandler => {
  const settings = readEnvironment(tickEnvironment, environment);
  const stores = wireMovingStores(settings, ports);
  const { client, tableName, contentOf } = stores;
  const tools = wireTools();
  const submitPorts = {
    ...stores,
    resources: dynamodbResourceStore({ client, tableName, content: contentOf }),
    hints: wireHints(settings),
    quota: wireQuotas(environment, settings, ports.clock).submissions,
    ...{ clock: ports.clock, ids: ports.ids, log: ports.log },
  };
  const firePorts = {
    schedules: planScheduleStore({ client, tableName, ids: ports.ids }),
    async submit(submission: Parameters<Parameters<typeof fireSchedule>[0]["submit"]>[0]) {
      const { submitPlan } = await import("#lib/service/submit-plan.ts");
      return submitPlan({ ...submitPorts, tools: await tools() }, submission);
    },
    ...{ clock: ports.clock, log: ports.log },
  };
  const lookPorts = {
    sources: syncSourceStore({ client, tableName, ids: ports.ids }),
    runs: dynamodbSourceRunStore({ client, tableName }),
    queue: wireSourceQueue(settings),
    ...{ clock: ports.clock, random: ports.random },
  };
  const due = dynamodbDueRecords({ client, tableName });
  const handler = middy<unknown, Looked>(
    async (_event: unknown, context: Context) => {
      const looked = await lookAtDue({
        due,
        look: {
          schedules: (key) => fireSchedule(firePorts, key),
          sources: (key) => lookAtDueSource(lookPorts, key),
        },
        hasTime: () => context.getRemainingTimeInMillis() > marginMs,
        ...{ clock: ports.clock, log: ports.log },
      });
      if (looked.due > 0) ports.log.write({ level: "info", event: "ticked", outcome: told(looked) });
      return looked;
    },
    { timeoutEarlyInMillis: 0 },
  );
  return async (event, context) =>
    inInvocation({ requestId: context.awsRequestId, traceHeader: traceHeaderOf() }, () =>
      handler(event, context),
    );
};

const told = ({ due, looks, moved, faults }: Looked): string =>
  `${due} due, ${looks} looked at, ${moved} moved on, ${faults} faults`;

export const handler = lazyHandler(() => createHandler(process.env));
