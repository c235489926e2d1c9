import type { ResourceKind } from "../resource/resource-store.ts";
import { invalidArgument, requireArguments } from "../runtime/constructor-argument.ts";

const owner = "SyncSummary";

/** What is wrong with an item. `item` is its id, or where it stands when it has none; `field` the one at fault. */
export interface SyncProblem {
  readonly kind?: ResourceKind;
  readonly item: string;
  readonly reason: string;
  readonly code?: string;
  readonly field?: string;
}

export interface SyncCounts {
  readonly created: number;
  readonly updated: number;
  readonly skipped: number;
  /** Items written to the local side. */
  readonly pulled: number;
  /** Deletions carried out, on either side. */
  readonly deleted: number;
  /** Requests sent to the service. */
  readonly requests: number;
  /** Items written on the service, tombstones included. */
  readonly writes: number;
}

export interface SyncSummaryOptions extends Partial<SyncCounts> {
  /** Conflicts that the policy left unresolved. */
  readonly conflicts?: readonly SyncProblem[];
  readonly errors?: readonly SyncProblem[];
  readonly dryRun?: boolean;
}

/**
 * What a sync came to, or would come to in a dry run. An item counts once. Immutable; a count that is no whole number from 0
 * on is a `ValidationError` that names it.
 */
export class SyncSummary implements SyncCounts {
  readonly created: number;
  readonly updated: number;
  readonly skipped: number;
  readonly pulled: number;
  readonly deleted: number;
  readonly conflicts: readonly SyncProblem[];
  readonly errors: readonly SyncProblem[];
  readonly dryRun: boolean;
  readonly requests: number;
  readonly writes: number;

  constructor(options: SyncSummaryOptions = {}) {
    requireArguments(owner, options);
    this.created = count("created", options.created);
    this.updated = count("updated", options.updated);
    this.skipped = count("skipped", options.skipped);
    this.pulled = count("pulled", options.pulled);
    this.deleted = count("deleted", options.deleted);
    this.conflicts = problems("conflicts", options.conflicts);
    this.errors = problems("errors", options.errors);
    this.dryRun = options.dryRun ?? false;
    this.requests = count("requests", options.requests);
    this.writes = count("writes", options.writes);
    Object.freeze(this);
  }

  /** Items that the run came across, conflicts and errors included. */
  get totalProcessed(): number {
    const done = this.created + this.updated + this.skipped + this.pulled + this.deleted;
    return done + this.conflicts.length + this.errors.length;
  }

  /** No errors and no unresolved conflicts. */
  get clean(): boolean {
    return this.conflicts.length === 0 && this.errors.length === 0;
  }

  toJSON(): Required<SyncSummaryOptions> & { readonly totalProcessed: number } {
    const { created, updated, skipped, pulled, deleted, conflicts, errors } = this;
    const { dryRun, requests, writes, totalProcessed } = this;
    return {
      ...{ created, updated, skipped, pulled, deleted, conflicts, errors },
      ...{ dryRun, requests, writes, totalProcessed },
    };
  }
}

function count(field: string, value: number | undefined): number {
  if (value === undefined) return 0;
  if (Number.isSafeInteger(value) && value >= 0) return value;
  throw invalidArgument({ owner, field, value, expected: "a whole number from 0 on" });
}

function problems(field: string, value: readonly SyncProblem[] | undefined): readonly SyncProblem[] {
  const listed: unknown = value ?? [];
  if (!Array.isArray(listed) || !(value ?? []).every((problem) => isProblem(problem))) {
    throw invalidArgument({ owner, field, value, expected: "an array of { item, reason }" });
  }
  return Object.freeze([...(value ?? [])]);
}

const isProblem = (value: unknown): boolean =>
  typeof value === "object" &&
  value !== null &&
  typeof Reflect.get(value, "item") === "string" &&
  typeof Reflect.get(value, "reason") === "string";
