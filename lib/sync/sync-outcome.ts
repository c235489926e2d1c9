import type { ConflictPolicy } from "./conflict-policy.ts";
import type { SkipReason } from "./sync-decision.ts";
import type { SyncKey } from "./sync-transport.ts";

/** Versions on the two sides before the sync. */
export interface SyncVersions {
  readonly local?: string | undefined;
  readonly server?: string | undefined;
}

/** How the sync of one item ended, or would end in a dry run; given out as it happens. */
export type SyncOutcome = SyncKey & { readonly versions: SyncVersions } & (
    | {
        readonly did: "created" | "updated" | "pulled" | "deleted_on_server" | "deleted_here";
        /** The policy that resolved a conflict. */
        readonly resolved?: ConflictPolicy | undefined;
      }
    | { readonly did: "skipped"; readonly because: SkipReason; readonly reason: string }
    | { readonly did: "conflict"; readonly reason: string }
    | {
        readonly did: "error";
        readonly reason: string;
        readonly code?: string | undefined;
        readonly field?: string | undefined;
      }
  );
