/**
 * The three names of the contract, one for everything else that becomes final or changes a run's phase, and those for what
 * is decided about a changeset.
 */
export type RunEventType =
  | "runtime_execute_started"
  | "runtime_execute_step"
  | "runtime_execute_skipped"
  | "runtime_execute_failed"
  | "runtime_execute_paused"
  | "runtime_execute_resumed"
  | "runtime_execute_cancelled"
  | "runtime_execute_complete"
  | "decision_approved"
  | "decision_rejected"
  | "changeset_approved"
  | "changeset_rejected"
  | "changeset_apply_started"
  | "changeset_applied"
  | "changeset_apply_failed"
  | "changeset_rolled_back";

/**
 * A numbered record of what became final; `seq` starts at 1 for each plan, counts on over its runs and has no gaps.
 * The events of a plan are the records of its ledger: `recordSha256` covers the decision's whole record, and
 * `ledgerHead` = SHA-256(previous head ‖ canonical form of this event without `ledgerHead`).
 */
export interface RunEvent {
  readonly seq: number;
  readonly type: RunEventType;
  readonly run: number;
  readonly atEpochMs: number;
  /** Who caused it: a principal, or `service`. */
  readonly by: string;
  readonly decisionId?: string;
  readonly ordinal?: number;
  readonly reason?: string;
  readonly recordSha256?: string;
  readonly digest?: string;
  /** Of a rollback: the digest that it undoes. */
  readonly undoes?: string;
  /** The project that an apply writes, and the revision that it made. */
  readonly project?: string;
  readonly revision?: number;
  readonly ledgerHead: string;
}
