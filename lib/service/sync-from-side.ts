import type { SourceSide } from "../source/source-side.ts";
import type { SyncSource } from "../source/sync-source.ts";
import { runSync } from "../sync/run-sync.ts";
import type { SyncBaseStore } from "../sync/sync-base-store.ts";
import { noSyncContent } from "../sync/sync-content.ts";
import type { SkipReason } from "../sync/sync-decision.ts";
import { syncKeyText } from "../sync/sync-key-text.ts";
import type { SyncSummary } from "../sync/sync-summary.ts";
import { syncTally } from "../sync/sync-tally.ts";
import { bringTree } from "./bring-tree.ts";
import type { ProjectPorts } from "./projects.ts";
import type { RunWatch } from "./run-watch.ts";
import { tenantItems } from "./tenant-items.ts";

/** What a run came to so far, also when it does not come to its end. */
export interface SyncProgressNoted {
  moved: number;
  summary: () => SyncSummary;
}

/** With these there is something left to do, although nothing changed on the other side. */
const leftOpen: readonly SkipReason[] = [
  "local_wins",
  "server_wins",
  "changed_while_syncing",
  "local_unreadable",
];

/**
 * The engine's sync between a source and its tenant: the other side is the server, the tenant's resources are the local items.
 * Answers whether the same again would find nothing to do.
 */
export async function syncFromSide(
  ports: ProjectPorts & { readonly random: () => number },
  order: {
    readonly source: SyncSource;
    readonly side: SourceSide;
    readonly bases: SyncBaseStore;
    readonly watch: RunWatch;
    readonly progress: SyncProgressNoted;
  },
): Promise<boolean> {
  const { source, side, watch, progress } = order;
  const { scope, direction, policy, dryRun, prune, force, maxDelete } = source.rules;
  const { signal } = watch.ending;
  const tally = syncTally(scope);
  progress.summary = () => tally.result(dryRun).total;
  const known = new Map(
    (await order.bases.load()).map((change) => {
      const { base } = change.base;
      return [syncKeyText(change), base.kind === "content" ? base.serverId : undefined] as const;
    }),
  );
  const local = tenantItems({
    ports,
    caller: { tenant: source.tenant, principal: source.savedBy, scopes: [] },
    serverIdOf: (key) => known.get(syncKeyText(key)),
    faults: () => side.faults,
    guard: () => watch.guard(),
    async bring(kind, item) {
      const { tree } = item;
      if (kind !== "projects" || typeof tree !== "string") return;
      const counted = {
        directory: side.trees.directory,
        async content(sha256: string) {
          const bytes = await side.trees.content(sha256);
          progress.moved += 1;
          return bytes;
        },
      };
      await bringTree(ports.storesOf(source.tenant), counted, { sha256: tree, signal });
    },
  });
  let open = false;
  const result = await runSync(
    {
      transport: side.transport,
      ...{ local, bases: order.bases, content: noSyncContent, random: ports.random },
      delay: watch.delay,
    },
    {
      kinds: scope,
      ...{ direction, policy, dryRun, prune, force, maxDelete, signal },
      onOutcome(outcome) {
        tally.ended(outcome);
        if (outcome.did === "skipped") open ||= leftOpen.includes(outcome.because);
        else if (outcome.did !== "error" && outcome.did !== "conflict") progress.moved += 1;
      },
    },
  );
  progress.summary = () => result.total;
  return result.total.clean && !open && !dryRun;
}
