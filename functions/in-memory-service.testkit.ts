import { generateKeyPairSync } from "node:crypto";
import type { Context } from "aws-lambda";
import * as z from "zod/mini";
import type { Caller } from "#lib/access/caller.ts";
import { memoryTokenStore } from "#lib/access/memory-token-store.ts";
import { scopes } from "#lib/access/token-store.ts";
import type { Verdict } from "#lib/access/verdict.ts";
import { verdictToContext } from "#lib/access/verdict-context.ts";
import { routes } from "#lib/api/routes.ts";
import { memoryDerivedChangesetStore } from "#lib/apply/memory-derived-changeset-store.ts";
import { memoryContentStore } from "#lib/content/memory-content-store.ts";
import { memoryContentTransfer } from "#lib/content/memory-content-transfer.ts";
import type { LogRecord } from "#lib/log/log.ts";
import { allowedHosts } from "#lib/outbound/allowed-hosts.ts";
import { memoryPlanStore } from "#lib/plan/memory-plan-store.ts";
import { noQuotas } from "#lib/quota/no-quotas.ts";
import { memoryResourceStore } from "#lib/resource/memory-resource-store.ts";
import { announcedFrontiers } from "#lib/run/announced-frontiers.ts";
import { ed25519Signer } from "#lib/run/ed25519-signer.ts";
import { itemStepStore } from "#lib/run/item-step-store.ts";
import { memoryExternalResultStore } from "#lib/run/memory-external-result-store.ts";
import { memoryFrontierStore } from "#lib/run/memory-frontier-store.ts";
import { memoryStepItemStore } from "#lib/run/memory-step-item-store.ts";
import type { RunPorts } from "#lib/run/run-ports.ts";
import type { Hint, HintQueue } from "#lib/run/run-store.ts";
import { openStoredExecutor } from "#lib/runtime/stored-executor.ts";
import { memorySecretStore } from "#lib/secrets/memory-secret-store.ts";
import { builtinTools } from "#lib/tools/builtin/builtin-tools.ts";
import { ToolRegistry } from "#lib/tools/tool-registry.ts";
import { ToolRunner } from "#lib/tools/tool-runner.ts";
import { memoryTreeStore } from "#lib/tree/memory-tree-store.ts";
import type { DeliveryMessage } from "#lib/webhook/delivery.ts";
import { memoryDeliveryStore } from "#lib/webhook/memory-delivery-store.ts";
import { memoryWebhookStore } from "#lib/webhook/memory-webhook-store.ts";
import { accessEndpoints } from "./access/endpoints.ts";
import { applyOnMessage, buryApplyMessage } from "./apply/apply-on-message.ts";
import { applyEndpoints } from "./apply/endpoints.ts";
import { executeEndpoints } from "./execute/endpoints.ts";
import { workOnMessage } from "./execute/work-on-message.ts";
import { httpFunction } from "./http-function.ts";
import { invocationLog } from "./invocation.ts";
import { queueFunction } from "./queue-function.ts";
import { planEndpoints } from "./status/plan-endpoints.ts";
import { serviceEndpoints } from "./status/service-endpoints.ts";
import { contentEndpoints } from "./sync/content-endpoints.ts";
import { itemEndpoints } from "./sync/item-endpoints.ts";
import { projectEndpoints } from "./sync/project-endpoints.ts";
import { syncEndpoints } from "./sync/sync-endpoints.ts";
import { webhookEndpoints } from "./webhook/endpoints.ts";

const { privateKey } = generateKeyPairSync("ed25519");
const signer = ed25519Signer(privateKey.export({ type: "pkcs8", format: "pem" }).toString());

export const owner: Caller = { tenant: "acme", principal: "ada", scopes };

export const lambdaContext = (remainingMs: () => number = () => 60_000): Context => ({
  awsRequestId: "invocation-1",
  callbackWaitsForEmptyEventLoop: false,
  functionName: "test",
  functionVersion: "1",
  invokedFunctionArn: "arn",
  logGroupName: "group",
  logStreamName: "stream",
  memoryLimitInMB: "512",
  getRemainingTimeInMillis: remainingMs,
  done() {},
  fail() {},
  succeed() {},
});

export interface MemoryAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly bytes: Buffer;
  json(): unknown;
}

const result = z.object({
  statusCode: z.int(),
  headers: z.record(z.string(), z.string()),
  body: z.string(),
  isBase64Encoded: z.boolean(),
});

/** All HTTP functions as one, and the worker, over stores in memory and a clock that stands still. */
export const inMemoryService = () => {
  let nowEpochMs = Date.UTC(2026, 10, 30);
  let ids = 0;
  const clock = { now: () => nowEpochMs };
  const idSource = {
    ulid: () => {
      ids += 1;
      return `01ARZ3NDEKTSV4RR${String(ids).padStart(10, "0")}`;
    },
  };
  const logged: LogRecord[] = [];
  const log = invocationLog({ write: (record) => logged.push(record) });
  const hints: Hint[] = [];
  const applies: Hint[] = [];
  const tenants = new Map<string, ReturnType<typeof newTenant>>();
  const storesOf = (tenant: string) => {
    const known = tenants.get(tenant) ?? newTenant();
    tenants.set(tenant, known);
    return known;
  };
  const contentOf = (tenant: string) => storesOf(tenant).content;
  const told = memoryFrontierStore();
  const webhooks = memoryWebhookStore();
  const phaseHints: Hint[] = [];
  const deliveryMessages: { readonly message: DeliveryMessage; readonly delaySeconds: number }[] = [];
  const phaseHintQueue: HintQueue = {
    async send(hint) {
      phaseHints.push(hint);
    },
  };
  const frontiers = announcedFrontiers(told, {
    listens: (tenant) => webhooks.listens(tenant),
    phaseHints: phaseHintQueue,
    log,
  });
  const tools = new ToolRegistry(builtinTools());
  const plans = memoryPlanStore();
  const runPorts: RunPorts = {
    plans,
    frontiers,
    runs: frontiers,
    openRuns: frontiers,
    steps: itemStepStore({ items: memoryStepItemStore(), contentOf }),
    results: memoryExternalResultStore(),
    hints: {
      async send(hint, options = {}) {
        // Watch hints look after workers that died; here none does.
        if (options.delaySeconds === undefined) hints.push(hint);
      },
    },
    contentOf,
    openExecutor: openStoredExecutor({
      treesOf: (tenant) => storesOf(tenant).trees,
      runner: new ToolRunner({ registry: tools }),
      clock,
    }),
    signer,
    clock,
    timer: { after: () => ({ cancel() {} }) },
    version: "test",
  };
  const ports = {
    ...runPorts,
    plans,
    resources: memoryResourceStore(),
    derived: memoryDerivedChangesetStore(),
    applies: {
      async send(hint: Hint) {
        applies.push(hint);
      },
    },
    phaseHints: phaseHintQueue,
    webhooks,
    deliveries: memoryDeliveryStore(),
    deliveryQueue: {
      async send(message: DeliveryMessage, options: { readonly delaySeconds?: number } = {}) {
        deliveryMessages.push({ message, delaySeconds: options.delaySeconds ?? 0 });
      },
    },
    namedSecrets: memorySecretStore({
      acme: {
        HOOK: "whsec_bmFtZWQgc2VjcmV0IG9mIHRoZSBvcGVyYXRvcg==",
        EMPTY: "",
        NO_BASE64: "whsec_!!!!!!!!!!!!",
      },
    }),
    allowedHosts: allowedHosts(["127.0.0.1"]),
    tokens: memoryTokenStore(),
    quotas: noQuotas,
    storesOf,
    tools,
    ids: idSource,
    secrets: { secret: () => "s".repeat(43) },
    log,
  };
  type Ports = typeof ports;
  const httpOf = (used: Ports) =>
    httpFunction({
      routes,
      endpoints: [
        ...executeEndpoints({ ...used, quota: used.quotas.submissions, tools: async () => used.tools }),
        ...planEndpoints(used),
        ...applyEndpoints({ ...used, tools: async () => used.tools }),
        ...contentEndpoints({ ...used, quota: used.quotas.content }),
        ...projectEndpoints(used),
        ...itemEndpoints(used),
        ...syncEndpoints(used),
        ...accessEndpoints(used),
        ...webhookEndpoints(used),
        ...serviceEndpoints({ version: "test" }),
      ],
      requests: used.quotas.requests,
      log,
      clock,
      checkReplies: true,
    });
  const applyWorkerOf = (used: Ports) => queueFunction({ log, handle: applyOnMessage(used) });
  const applyBurierOf = (used: Ports) => queueFunction({ log, handle: buryApplyMessage(used) });
  const workerOf = (used: Ports) => queueFunction({ log, handle: workOnMessage(used, log) });

  const service = {
    ports,
    hints,
    applies,
    phaseHints,
    deliveryMessages,
    /** Frontiers as they are stored, for what brings no phase. */
    storedFrontiers: told,
    logged,
    workerOf,
    advanceClock(byMs: number) {
      nowEpochMs += byMs;
    },
    /** The same service with some ports replaced. */
    using(replaced: Partial<Ports>) {
      const used = { ...ports, ...replaced };
      return {
        send: senderOf(httpOf(used)),
        worker: workerOf(used),
        applyWorker: applyWorkerOf(used),
        applyBurier: applyBurierOf(used),
      };
    },
    send: senderOf(httpOf(ports)),
    worker: workerOf(ports),
    applyWorker: applyWorkerOf(ports),
    applyBurier: applyBurierOf(ports),
    /** Runs the worker on the hints that wait, until none does, then the one for applies. */
    async drain() {
      for (let hint = hints.shift(); hint !== undefined; hint = hints.shift()) {
        await service.worker(queueEvent([JSON.stringify(hint)]), lambdaContext());
      }
      for (let hint = applies.shift(); hint !== undefined; hint = applies.shift()) {
        await service.applyWorker(queueEvent([JSON.stringify(hint)]), lambdaContext());
      }
    },
  };
  return service;
};

const newTenant = () => {
  const content = memoryContentStore();
  return { content, trees: memoryTreeStore(), transfer: memoryContentTransfer(content) };
};

export const queueEvent = (bodies: readonly string[], receiveCount = 1) => ({
  Records: bodies.map((body, index) => ({
    messageId: `m${index}`,
    body,
    attributes: { ApproximateReceiveCount: String(receiveCount) },
  })),
});

interface SentRequest {
  readonly method?: string;
  readonly caller?: Caller;
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
  readonly base64?: boolean;
}

const senderOf =
  (handler: ReturnType<typeof httpFunction>) =>
  async (target: string, request: SentRequest = {}): Promise<MemoryAnswer> => {
    const { pathname, searchParams, search } = new URL(target, "http://test.invalid");
    const { caller = owner, body } = request;
    const verdict: Verdict = { kind: "allowed", caller, tokenId: "t" };
    const text = body === undefined ? undefined : JSON.stringify(body);
    const reply = z.parse(
      result,
      await handler(
        {
          rawPath: pathname,
          headers: { "Content-Type": "application/json", ...request.headers },
          ...(search === "" ? {} : { queryStringParameters: Object.fromEntries(searchParams) }),
          requestContext: {
            requestId: "request-1",
            http: { method: request.method ?? (body === undefined ? "GET" : "POST") },
            authorizer: { lambda: verdictToContext(verdict) },
          },
          ...(text === undefined
            ? {}
            : { body: request.base64 === true ? Buffer.from(text).toString("base64") : text }),
          isBase64Encoded: request.base64 ?? false,
        },
        lambdaContext(),
      ),
    );
    const bytes = Buffer.from(reply.body, reply.isBase64Encoded ? "base64" : "utf8");
    return {
      status: reply.statusCode,
      headers: reply.headers,
      bytes,
      json: () => JSON.parse(bytes.toString()),
    };
  };
