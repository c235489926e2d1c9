import type { PlanRecord } from "./compiled-plan.ts";

export interface PlanPage {
  readonly plans: readonly {
    readonly planId: string;
    readonly serverPlanId: string;
    readonly name?: string;
    readonly submittedAtEpochMs: number;
  }[];
  /** Pass it back to read on; absent on the last page. */
  readonly cursor?: string;
}

/**
 * Accepted plans of all tenants. Writes are conditional: `create` answers the record that stood there first, which is the
 * given one when it was new. Reads are strongly consistent, but for `list`, newest first. A plan is listed, and found by the
 * service's id, once it was enlisted, which whoever submits does after `create`, each time: so a crash in between is made good
 * by the next submission.
 */
export interface PlanStore {
  create(record: PlanRecord): Promise<PlanRecord>;
  get(key: { readonly tenant: string; readonly planId: string }): Promise<PlanRecord | undefined>;
  /** Of a plan that `create` or `get` answered; again changes nothing. */
  enlist(plan: PlanRecord): Promise<void>;
  /** The caller's plan id of a `pln_…` id. Known from the moment `enlist` returned. */
  resolve(key: { readonly tenant: string; readonly serverPlanId: string }): Promise<string | undefined>;
  list(query: {
    readonly tenant: string;
    readonly limit: number;
    readonly cursor?: string;
  }): Promise<PlanPage>;
}
