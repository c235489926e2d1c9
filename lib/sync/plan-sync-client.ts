import { checkedId } from "../client/checked-id.ts";
import { systemPorts } from "../client/system-ports.ts";
import { ValidationError } from "../errors/planledger-error.ts";
import { type ResourceKind, resourceKinds } from "../resource/resource-store.ts";
import { invalidArgument, requireArguments, requireMethods } from "../runtime/constructor-argument.ts";
import { allowedValue } from "./allowed-value.ts";
import { type ConflictPolicy, checkedConflictPolicy } from "./conflict-policy.ts";
import { ExecutionResult } from "./execution-result.ts";
import type { LocalItems } from "./local-items.ts";
import { memoryLocalItems } from "./memory-local-items.ts";
import { memorySyncBaseStore } from "./memory-sync-base-store.ts";
import type { PlanAccepted, PlanStatus, PlanTransport } from "./plan-transport.ts";
import { runSync, type SyncOrder, type SyncPorts } from "./run-sync.ts";
import type { SyncBaseStore } from "./sync-base-store.ts";
import { noSyncContent, type SyncContent } from "./sync-content.ts";
import { checkedSyncDirection, type SyncDirection } from "./sync-direction.ts";
import type { SyncResult } from "./sync-result.ts";
import { SyncScope } from "./sync-scope.ts";
import type { SyncSummary } from "./sync-summary.ts";
import type { SyncTransport } from "./sync-transport.ts";
import type { ResendPorts } from "./until-processed.ts";

const owner = "PlanSyncClient";

export interface PlanSyncClientOptions extends Partial<ResendPorts> {
  /** Both in one, as the HTTP transport is. */
  readonly transport: SyncTransport & PlanTransport;
  /** `local_wins` by default. */
  readonly conflictPolicy?: ConflictPolicy;
  /** What `syncAll` syncs; all four kinds by default. */
  readonly scope?: SyncScope;
  /** What both sides last agreed on; by default it lasts as long as this client. */
  readonly bases?: SyncBaseStore;
  /** Ids that other services gave to these items, where they are synced with several: they stay in the items. */
  readonly otherServerIds?: () => Promise<ReadonlySet<string>>;
  /** Sends the file trees of projects; by default the server must have them already. */
  readonly content?: SyncContent;
}

export interface SyncOptions
  extends Partial<Pick<SyncOrder, "dryRun" | "prune" | "force" | "maxDelete">>,
    Pick<SyncOrder, "onProgress" | "onOutcome" | "signal"> {
  /** `push` by default. */
  readonly direction?: SyncDirection;
}

/**
 * Keeps local items and a service in step, and gives orders about plans. What is wrong with a call is a `ValidationError`
 * that names the field, before anything is sent. Items are a port onto files, or arrays of plain objects, which are changed
 * in place: metadata gets `serverId`, pulled items are added or replaced. They must be all items of their kind: what is
 * missing and was synced before counts as deleted here, which reaches the server with `prune` only.
 */
export class PlanSyncClient {
  readonly scope: SyncScope;
  readonly #transport: SyncTransport & PlanTransport;
  readonly #ports: Omit<SyncPorts, "local">;
  #conflictPolicy: ConflictPolicy;

  constructor(options: PlanSyncClientOptions) {
    requireArguments(owner, options);
    const { transport, scope = new SyncScope() } = options;
    const methods = ["list", "read", "write", "executePlan", "applyPlan", "planStatus"];
    requireMethods(owner, { field: "transport", value: transport, methods });
    if (!(scope instanceof SyncScope)) {
      throw invalidArgument({ owner, field: "scope", value: scope, expected: "a SyncScope" });
    }
    this.scope = scope;
    this.#transport = transport;
    this.#conflictPolicy = checkedConflictPolicy(options.conflictPolicy ?? "local_wins");
    this.#ports = {
      transport,
      bases: options.bases ?? memorySyncBaseStore(),
      otherServerIds: options.otherServerIds,
      content: options.content ?? noSyncContent,
      delay: options.delay ?? systemPorts.delay,
      random: options.random ?? systemPorts.random,
    };
  }

  get conflictPolicy(): ConflictPolicy {
    return this.#conflictPolicy;
  }

  /** Counts from the next sync on; one under way keeps the policy that it began with. */
  set conflictPolicy(policy: ConflictPolicy) {
    this.#conflictPolicy = checkedConflictPolicy(policy);
  }

  /** Syncs the items of one kind, whatever the scope. */
  async syncItems(
    kind: ResourceKind,
    items: LocalItems | unknown[],
    options: SyncOptions = {},
  ): Promise<SyncSummary> {
    const checked = allowedValue("kind", kind, resourceKinds);
    const local = Array.isArray(items) ? memoryLocalItems({ [checked]: items }) : checkedLocalItems(items);
    const result = await this.#sync([checked], local, options);
    return result.total;
  }

  /** Syncs all kinds of the scope; of arrays, those kinds that are given. */
  async syncAll(
    items: LocalItems | Readonly<Partial<Record<ResourceKind, unknown[]>>>,
    options: SyncOptions = {},
  ): Promise<SyncResult> {
    if (isLocalItems(items)) return this.#sync(this.scope.activeKinds, items, options);
    const arrays = checkedArrays(items);
    const kinds = this.scope.activeKinds.filter((kind) => arrays[kind] !== undefined);
    return this.#sync(kinds, memoryLocalItems(arrays), options);
  }

  /** Submits a plan. Without `plan`, the one that the service has under this id: the answer of its submission again. */
  async executePlan(
    planId: string,
    order: { readonly plan?: Readonly<Record<string, unknown>>; readonly signal?: AbortSignal } = {},
  ): Promise<ExecutionResult> {
    return executionResult(
      await this.#transport.executePlan({ ...order, planId: checkedId("planId", planId) }),
    );
  }

  /** Applies the changeset of exactly this digest. The outcome stands in the plan's status later, as `lastApply`. */
  async applyPlan(
    planId: string,
    order: { readonly digest: string; readonly allowFailed?: boolean; readonly signal?: AbortSignal },
  ): Promise<ExecutionResult> {
    const checked = checkedId("planId", planId);
    const given: unknown = order;
    const digest: unknown =
      typeof given === "object" && given !== null ? Reflect.get(given, "digest") : undefined;
    if (typeof digest !== "string" || !/^[0-9a-f]{64}$/.test(digest)) {
      const expected = "the digest that was reviewed, 64 lower-case hex digits";
      throw invalidArgument({ owner, field: "digest", value: digest, expected });
    }
    return executionResult(await this.#transport.applyPlan({ ...order, planId: checked, digest }));
  }

  /** By the service's id of a plan, or the caller's. */
  async getPlanStatus(serverPlanId: string, signal?: AbortSignal): Promise<PlanStatus> {
    const planId = checkedId("serverPlanId", serverPlanId);
    return this.#transport.planStatus({ planId, ...(signal === undefined ? {} : { signal }) });
  }

  #sync(kinds: readonly ResourceKind[], local: LocalItems, options: SyncOptions): Promise<SyncResult> {
    const { dryRun = false, prune = false, force = false, direction = "push", ...rest } = options;
    return runSync(
      { ...this.#ports, local },
      {
        ...rest,
        kinds,
        ...{ dryRun, prune, force },
        direction: checkedSyncDirection(direction),
        maxDelete: checkedMaxDelete(options.maxDelete),
        policy: this.#conflictPolicy,
      },
    );
  }
}

const executionResult = ({ planId, serverPlanId, phase, message }: PlanAccepted): ExecutionResult =>
  new ExecutionResult({ planId, serverPlanId, status: phase, message });

const localMethods = ["read", "load", "writeServerId", "write", "remove"];

const isLocalItems = (items: object): items is LocalItems =>
  typeof items === "object" && items !== null && typeof Reflect.get(items, "read") === "function";

function checkedLocalItems(items: LocalItems): LocalItems {
  requireMethods(owner, { field: "items", value: items, methods: localMethods });
  return items;
}

function checkedArrays(
  items: Readonly<Partial<Record<ResourceKind, unknown[]>>>,
): Readonly<Partial<Record<ResourceKind, unknown[]>>> {
  requireArguments(owner, items);
  for (const [kind, array] of Object.entries(items)) {
    allowedValue("kind", kind, resourceKinds);
    if (array !== undefined && !Array.isArray(array)) {
      throw invalidArgument({ owner, field: `items.${kind}`, value: array, expected: "an array of items" });
    }
  }
  return items;
}

function checkedMaxDelete(maxDelete: number | undefined): number | undefined {
  if (maxDelete === undefined || (Number.isSafeInteger(maxDelete) && maxDelete >= 0)) return maxDelete;
  throw new ValidationError({
    field: "maxDelete",
    message: `maxDelete must be a whole number from 0 on, not ${maxDelete}.`,
  });
}
