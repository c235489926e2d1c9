import { dynamodbDerivedChangesetStore } from "#lib/apply/dynamodb-derived-changeset-store.ts";
import { dynamodbPlanStore } from "#lib/plan/dynamodb-plan-store.ts";
import { dynamodbResourceStore } from "#lib/resource/dynamodb-resource-store.ts";
import { announcedFrontiers } from "#lib/run/announced-frontiers.ts";
import { dynamodbExternalResultStore } from "#lib/run/dynamodb-external-result-store.ts";
import { dynamodbFrontierStore } from "#lib/run/dynamodb-frontier-store.ts";
import { dynamodbOpenRuns } from "#lib/run/dynamodb-open-runs.ts";
import { dynamodbStepItemStore } from "#lib/run/dynamodb-step-item-store.ts";
import { itemStepStore } from "#lib/run/item-step-store.ts";
import type { HintQueue } from "#lib/run/run-store.ts";
import type { ApplyPorts } from "#lib/service/apply-ports.ts";
import type { StoresOf } from "#lib/service/tenant-stores.ts";
import type { ToolRegistry } from "#lib/tools/tool-registry.ts";
import { dynamodbListening } from "#lib/webhook/dynamodb-listening.ts";
import { dynamodbClient } from "./aws-clients.ts";
import type {
  AnnouncingEnvironment,
  ApplyWorkerEnvironment,
  AwsEnvironment,
  RunEnvironment,
  StoreEnvironment,
} from "./environment.ts";
import { loadedOnce } from "./loaded-once.ts";
import type { ProcessPorts } from "./process-ports.ts";
import { wireSigner } from "./signer.ts";
import { tenantStores } from "./stores.ts";

/** Everything that is read of plans and runs. */
export const wirePlanStores = (environment: StoreEnvironment, ports: ProcessPorts) => {
  const client = dynamodbClient(environment);
  const tableName = environment.TABLE_NAME;
  const storesOf: StoresOf = tenantStores({ environment, clock: ports.clock });
  const contentOf = (tenant: string) => storesOf(tenant).content;
  const frontiers = dynamodbFrontierStore({ client, tableName, ids: ports.ids });
  return {
    client,
    tableName,
    storesOf,
    contentOf,
    plans: dynamodbPlanStore({ client, tableName, content: contentOf }),
    frontiers,
    runs: frontiers,
    steps: itemStepStore({ items: dynamodbStepItemStore({ client, tableName }), contentOf }),
    results: dynamodbExternalResultStore({ client, tableName }),
    openRuns: dynamodbOpenRuns({ client, tableName }),
    derived: dynamodbDerivedChangesetStore({ client, tableName, content: contentOf }),
  };
};

export const wireHints = (environment: RunEnvironment): HintQueue =>
  lateHints(environment, environment.DECISIONS_QUEUE_URL);

export const wireApplies = (
  environment: Pick<ApplyWorkerEnvironment, "APPLIES_QUEUE_URL"> & AwsEnvironment,
): HintQueue => lateHints(environment, environment.APPLIES_QUEUE_URL);

export const wirePhaseHints = (environment: AnnouncingEnvironment & AwsEnvironment): HintQueue =>
  lateHints(environment, environment.PHASES_QUEUE_URL);

/** The client of SQS is loaded for the first hint. */
const lateHints = (environment: AwsEnvironment, queueUrl: string): HintQueue => {
  const hints = loadedOnce(async () => (await import("./sqs-hints.ts")).sqsHints(environment, queueUrl));
  return { send: async (hint, options) => (await hints()).send(hint, options) };
};

export const wireTools = (): (() => Promise<ToolRegistry>) =>
  loadedOnce(async () => (await import("./service-tools.ts")).serviceTools());

/** The same for what moves runs: changes of their phases are told to whoever listens. */
export const wireMovingStores = (
  environment: StoreEnvironment & AnnouncingEnvironment,
  ports: ProcessPorts,
): ReturnType<typeof wirePlanStores> => {
  const stores = wirePlanStores(environment, ports);
  const frontiers = announcedFrontiers(stores.frontiers, {
    listens: environment.PHASE_LISTENERS === "all" ? async () => true : dynamodbListening(stores),
    phaseHints: wirePhaseHints(environment),
    log: ports.log,
  });
  return { ...stores, frontiers, runs: frontiers };
};

/** All that deciding about changesets and applying them needs. */
export const wireApplyPorts = (environment: ApplyWorkerEnvironment, ports: ProcessPorts): ApplyPorts => {
  const stores = wireMovingStores(environment, ports);
  const { client, tableName, contentOf } = stores;
  return {
    ...stores,
    resources: dynamodbResourceStore({ client, tableName, content: contentOf }),
    applies: wireApplies(environment),
    signer: wireSigner(environment),
    clock: ports.clock,
    version: environment.PLANLEDGER_VERSION,
    log: ports.log,
  };
};
