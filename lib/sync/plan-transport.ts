/** What the service answers to an order about a plan. */
export interface PlanAccepted {
  readonly planId: string;
  readonly serverPlanId: string;
  readonly phase: string;
  readonly message: string;
}

/** A plan's status; over HTTP it has everything that `GET /v1/plans/{planId}` tells. */
export interface PlanStatus extends PlanAccepted {
  readonly [member: string]: unknown;
}

/** Plans of the service, by the caller's id or the service's. Failures are Planledger's named errors. */
export interface PlanTransport {
  /**
   * Submits. Without `plan` the service's plan of this id is meant: the answer is that of its submission again, and
   * `NotFoundError` when there is none.
   */
  executePlan(order: {
    readonly planId: string;
    readonly plan?: Readonly<Record<string, unknown>>;
    readonly signal?: AbortSignal;
  }): Promise<PlanAccepted>;
  applyPlan(order: {
    readonly planId: string;
    readonly digest: string;
    readonly allowFailed?: boolean;
    readonly signal?: AbortSignal;
  }): Promise<PlanAccepted>;
  planStatus(query: { readonly planId: string; readonly signal?: AbortSignal }): Promise<PlanStatus>;
}
