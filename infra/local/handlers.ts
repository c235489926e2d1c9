import { createHandler as authorizer } from "#functions/access/authorizer.ts";
import { createHandler as accessHttp } from "#functions/access/http.ts";
import { createHandler as applyDeadLetter } from "#functions/apply/dead-letter.ts";
import { createHandler as applyHttp } from "#functions/apply/http.ts";
import { createHandler as applyWorker } from "#functions/apply/worker.ts";
import type { Environment } from "#functions/environment.ts";
import { createHandler as executeDeadLetter } from "#functions/execute/dead-letter.ts";
import { createHandler as executeHttp } from "#functions/execute/http.ts";
import { createHandler as executeReconcile } from "#functions/execute/reconcile.ts";
import { createHandler as executeSubmissions } from "#functions/execute/submissions.ts";
import { createHandler as executeWorker } from "#functions/execute/worker.ts";
import type { ProcessPorts } from "#functions/process-ports.ts";
import { createHandler as scheduleHttp } from "#functions/schedule/http.ts";
import { createHandler as scheduleTick } from "#functions/schedule/tick.ts";
import { createHandler as sourceWorker } from "#functions/source/worker.ts";
import { createHandler as describeHttp } from "#functions/status/describe.ts";
import { createHandler as statusHttp } from "#functions/status/http.ts";
import { createHandler as syncHttp } from "#functions/sync/http.ts";
import { createHandler as phaseAnnounce } from "#functions/webhook/announce.ts";
import { createHandler as phaseDeliver } from "#functions/webhook/deliver.ts";
import { createHandler as webhookHttp } from "#functions/webhook/http.ts";
import type { LambdaHandler } from "./lambda-host.ts";

export type CreateHandler = (environment: Environment, ports: ProcessPorts) => LambdaHandler;

/** The functions of the topology by name, as their entries make them. */
export const handlers: Readonly<Record<string, CreateHandler>> = {
  authorizer,
  accessHttp,
  executeHttp,
  executeWorker,
  executeSubmissions,
  executeDeadLetter,
  executeReconcile,
  applyHttp,
  applyWorker,
  applyDeadLetter,
  describeHttp,
  scheduleHttp,
  scheduleTick,
  sourceWorker,
  webhookHttp,
  phaseAnnounce,
  phaseDeliver,
  statusHttp,
  syncHttp,
};
