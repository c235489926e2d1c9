import { routes } from "#lib/api/routes.ts";
import { tableDefinition } from "#lib/table/table-definition.ts";
import { withSubmissionQueues } from "./submission-queues.ts";
import type { RouteTopology, SubmissionQueueTopology, Topology } from "./topology-shape.ts";

const store = ["TABLE_NAME"];
const content = ["BUCKET_NAME"];
/** What everything has that moves runs. */
const announcing = ["PHASES_QUEUE_URL", "PHASE_LISTENERS"];
const queue = ["DECISIONS_QUEUE_URL", ...announcing];
const deliveries = ["DELIVERIES_QUEUE_URL"];
const applies = ["APPLIES_QUEUE_URL"];
const signing = ["SIGNING_KEY"];
const jwts = ["JWT_ISSUER", "JWT_AUDIENCE", "JWT_TENANT_CLAIM", "JWT_PRINCIPAL_CLAIM"];
const quotas = ["QUOTAS"];
const outside = ["TOOL_ALLOWED_HOSTS", "TOOL_SECRETS"];
const sources = ["SOURCES_QUEUE_URL"];

/** Which function answers a route, by the first part of the route's id; the exceptions come first. */
const functionOf = (routeId: string): string => {
  switch (routeId) {
    case "plans.execute":
    case "plans.pause":
    case "plans.resume":
    case "plans.cancel":
    // It holds the signing key.
    case "service.keys":
      return "executeHttp";
    case "service.health":
    case "service.version":
    case "service.openapi":
      return "describeHttp";
    case "plans.apply":
    case "plans.approve":
    case "plans.reject":
    case "plans.rollback":
    case "plans.derive":
      return "applyHttp";
    default:
      break;
  }
  switch (routeId.split(".")[0]) {
    case "content":
    case "actions":
    case "skills":
    case "tools":
    case "projects":
    case "sync":
      return "syncHttp";
    case "schedules":
    case "sources":
      return "scheduleHttp";
    case "webhooks":
      return "webhookHttp";
    case "tokens":
      return "accessHttp";
    default:
      return "statusHttp";
  }
};

const apiRoutes: readonly RouteTopology[] = routes.map((route) => ({
  route: `${route.method} ${route.path}`,
  function: functionOf(route.id),
  authorized: route.scope !== "none",
}));

const daySeconds = 86_400;

const service: Topology = {
  functions: {
    authorizer: {
      entry: "functions/access/authorizer.ts",
      memoryMegabytes: 256,
      timeoutSeconds: 10,
      environment: [...store, ...jwts],
    },
    accessHttp: {
      entry: "functions/access/http.ts",
      memoryMegabytes: 256,
      timeoutSeconds: 10,
      environment: [...store, ...quotas],
    },
    executeHttp: {
      entry: "functions/execute/http.ts",
      memoryMegabytes: 1024,
      timeoutSeconds: 29,
      environment: [...store, ...quotas, ...content, ...queue, ...signing],
    },
    executeWorker: {
      entry: "functions/execute/worker.ts",
      memoryMegabytes: 512,
      timeoutSeconds: 60,
      environment: [...store, ...content, ...queue, ...applies, ...signing, ...outside],
    },
    executeSubmissions: {
      entry: "functions/execute/submissions.ts",
      memoryMegabytes: 1024,
      timeoutSeconds: 60,
      environment: [...store, ...quotas, ...content, ...queue, "SUBMISSION_QUEUES"],
    },
    executeDeadLetter: {
      entry: "functions/execute/dead-letter.ts",
      memoryMegabytes: 512,
      timeoutSeconds: 60,
      environment: [...store, ...content, ...queue, ...signing],
    },
    executeReconcile: {
      entry: "functions/execute/reconcile.ts",
      memoryMegabytes: 256,
      timeoutSeconds: 60,
      environment: [...store, ...content, ...queue, ...applies, ...deliveries],
    },
    applyHttp: {
      entry: "functions/apply/http.ts",
      memoryMegabytes: 1024,
      timeoutSeconds: 29,
      environment: [...store, ...quotas, ...content, ...queue, ...applies, ...signing],
    },
    applyWorker: {
      entry: "functions/apply/worker.ts",
      memoryMegabytes: 1024,
      timeoutSeconds: 120,
      environment: [...store, ...content, ...announcing, ...applies, ...signing],
    },
    applyDeadLetter: {
      entry: "functions/apply/dead-letter.ts",
      memoryMegabytes: 2048,
      timeoutSeconds: 120,
      environment: [...store, ...content, ...announcing, ...applies, ...signing],
    },
    describeHttp: {
      entry: "functions/status/describe.ts",
      memoryMegabytes: 256,
      timeoutSeconds: 10,
      environment: [],
    },
    scheduleHttp: {
      entry: "functions/schedule/http.ts",
      memoryMegabytes: 512,
      timeoutSeconds: 29,
      environment: [...store, ...quotas, ...content, ...sources],
    },
    scheduleTick: {
      entry: "functions/schedule/tick.ts",
      memoryMegabytes: 512,
      timeoutSeconds: 60,
      environment: [...store, ...quotas, ...content, ...queue, ...sources],
    },
    sourceWorker: {
      entry: "functions/source/worker.ts",
      memoryMegabytes: 1024,
      timeoutSeconds: 300,
      environment: [...store, ...content, ...outside],
    },
    webhookHttp: {
      entry: "functions/webhook/http.ts",
      memoryMegabytes: 256,
      timeoutSeconds: 10,
      environment: [...store, ...quotas, ...outside],
    },
    phaseAnnounce: {
      entry: "functions/webhook/announce.ts",
      memoryMegabytes: 256,
      timeoutSeconds: 30,
      environment: [...store, ...deliveries, "PHASE_LISTENERS"],
    },
    phaseDeliver: {
      entry: "functions/webhook/deliver.ts",
      memoryMegabytes: 256,
      timeoutSeconds: 30,
      environment: [...store, ...deliveries, ...outside, "EVENT_BUS"],
    },
    statusHttp: {
      entry: "functions/status/http.ts",
      memoryMegabytes: 512,
      timeoutSeconds: 29,
      environment: [...store, ...quotas, ...content],
    },
    syncHttp: {
      entry: "functions/sync/http.ts",
      memoryMegabytes: 512,
      timeoutSeconds: 29,
      environment: [...store, ...quotas, ...content],
    },
  },
  authorizer: { function: "authorizer", cacheSeconds: 60 },
  // What no route takes, and a known path with another method, is answered as a problem document.
  routes: [...apiRoutes, { route: "$default", function: "describeHttp", authorized: false }],
  queues: {
    decisions: {
      visibilityTimeoutSeconds: 360,
      retentionSeconds: 4 * daySeconds,
      deadLetter: { queue: "decisionsDeadLetter", maximumReceiveCount: 5 },
      consumer: { function: "executeWorker", batchSize: 10, maximumConcurrency: 50 },
    },
    decisionsDeadLetter: {
      visibilityTimeoutSeconds: 360,
      retentionSeconds: 14 * daySeconds,
      consumer: { function: "executeDeadLetter", batchSize: 10, maximumConcurrency: 2 },
    },
    applies: {
      visibilityTimeoutSeconds: 720,
      retentionSeconds: 4 * daySeconds,
      deadLetter: { queue: "appliesDeadLetter", maximumReceiveCount: 5 },
      consumer: { function: "applyWorker", batchSize: 1, maximumConcurrency: 20 },
    },
    appliesDeadLetter: {
      visibilityTimeoutSeconds: 720,
      retentionSeconds: 14 * daySeconds,
      consumer: { function: "applyDeadLetter", batchSize: 1, maximumConcurrency: 2 },
    },
    // What is lost of these two is sent again by the reconciler; dead letters wait for the operator.
    phases: {
      visibilityTimeoutSeconds: 180,
      retentionSeconds: 4 * daySeconds,
      deadLetter: { queue: "phasesDeadLetter", maximumReceiveCount: 5 },
      consumer: { function: "phaseAnnounce", batchSize: 10, maximumConcurrency: 10 },
    },
    phasesDeadLetter: { visibilityTimeoutSeconds: 60, retentionSeconds: 14 * daySeconds },
    deliveries: {
      visibilityTimeoutSeconds: 180,
      retentionSeconds: 4 * daySeconds,
      deadLetter: { queue: "deliveriesDeadLetter", maximumReceiveCount: 5 },
      consumer: { function: "phaseDeliver", batchSize: 10, maximumConcurrency: 10 },
    },
    deliveriesDeadLetter: { visibilityTimeoutSeconds: 60, retentionSeconds: 14 * daySeconds },
    // What is lost of it is sent again by the tick.
    sources: {
      visibilityTimeoutSeconds: 1800,
      retentionSeconds: daySeconds,
      deadLetter: { queue: "sourcesDeadLetter", maximumReceiveCount: 5 },
      consumer: { function: "sourceWorker", batchSize: 1, maximumConcurrency: 10 },
    },
    sourcesDeadLetter: { visibilityTimeoutSeconds: 60, retentionSeconds: 14 * daySeconds },
  },
  submissions: [],
  table: tableDefinition,
  bucket: { stagedPrefix: "staged/", stagedExpiryDays: 1 },
  schedules: {
    reconcile: { everyMinutes: 1, function: "executeReconcile" },
    tick: { everyMinutes: 1, function: "scheduleTick" },
  },
};

/** Takes the submissions of the tenant of the first token, unless the operator says otherwise. */
const ownSubmissions: SubmissionQueueTopology = {
  name: "submissions",
  tenant: "local",
  principal: "submissions-queue",
  scopes: ["plans:write"],
};

/** The service. Handlers cannot tell which renderer runs them. */
export const topology: Topology = withSubmissionQueues(service, [ownSubmissions]);
