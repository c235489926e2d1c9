import type { Scope } from "#lib/access/token-store.ts";
import type { TableDefinition } from "#lib/table/table-definition.ts";

/** A Lambda function. `environment` lists the variables that its wiring reads; `entry` is relative to the repository. */
export interface FunctionTopology {
  readonly entry: string;
  readonly memoryMegabytes: number;
  readonly timeoutSeconds: number;
  readonly environment: readonly string[];
}

/** A queue. Every queue with a consumer has a dead-letter queue, or is one. */
export interface QueueTopology {
  readonly visibilityTimeoutSeconds: number;
  readonly retentionSeconds: number;
  readonly deadLetter?: { readonly queue: string; readonly maximumReceiveCount: number };
  readonly consumer?: {
    readonly function: string;
    readonly batchSize: number;
    /** At most this many invocations at once; at least 2, as event sources demand. */
    readonly maximumConcurrency: number;
  };
}

/**
 * A queue that takes submissions for one tenant and principal, whatever a message says. `name` is that of the queue; its
 * dead-letter queue is called the same with `DeadLetter` behind it.
 */
export interface SubmissionQueueTopology {
  readonly name: string;
  readonly tenant: string;
  readonly principal: string;
  readonly scopes: readonly Scope[];
}

export interface RouteTopology {
  /** `METHOD /path/{parameter}`, or `$default` for all that no other route takes. */
  readonly route: string;
  readonly function: string;
  /** Whether the authorizer runs first. It lets every request through, with a verdict. */
  readonly authorized: boolean;
}

export interface ScheduleTopology {
  readonly everyMinutes: number;
  readonly function: string;
}

/** The whole service as plain data: what the CDK renders for AWS and the embedded runner on one machine. */
export interface Topology {
  readonly functions: Readonly<Record<string, FunctionTopology>>;
  readonly authorizer: { readonly function: string; readonly cacheSeconds: number };
  readonly routes: readonly RouteTopology[];
  readonly queues: Readonly<Record<string, QueueTopology>>;
  /** For whom the submissions queues among `queues` speak. */
  readonly submissions: readonly SubmissionQueueTopology[];
  readonly table: TableDefinition;
  readonly bucket: { readonly stagedPrefix: string; readonly stagedExpiryDays: number };
  readonly schedules: Readonly<Record<string, ScheduleTopology>>;
}
