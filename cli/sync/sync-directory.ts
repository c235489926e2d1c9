import type { PlanledgerClient } from "#lib/client/planledger-client.ts";
import { type UploadProgress, uploadTree } from "#lib/client/upload-tree.ts";
import { ConflictError } from "#lib/errors/planledger-error.ts";
import type { ConflictPolicy } from "#lib/sync/conflict-policy.ts";
import { fileLocalItems } from "#lib/sync/files/file-local-items.ts";
import { fileSyncBaseStore } from "#lib/sync/files/file-sync-base-store.ts";
import { httpSyncTransport } from "#lib/sync/http-sync-transport.ts";
import { PlanSyncClient, type SyncOptions } from "#lib/sync/plan-sync-client.ts";
import type { SyncContent } from "#lib/sync/sync-content.ts";
import type { SyncResult } from "#lib/sync/sync-result.ts";
import type { SyncScope } from "#lib/sync/sync-scope.ts";
import { withDirectoryLock } from "../files/directory-lock.ts";
import { openDirectoryTarget, sayRecovered } from "../files/recover-directory.ts";
import { printable } from "../print-safely.ts";
import { progressBar } from "../render/progress-bar.ts";
import type { Session } from "../session.ts";
import { projectFiles } from "./project-files.ts";
import { projectTreesOnDisk } from "./project-trees-on-disk.ts";

export interface DirectorySync extends Omit<SyncOptions, "onProgress" | "onOutcome" | "signal"> {
  /** Real, absolute. */
  readonly root: string;
  readonly url: string;
  readonly scope: SyncScope;
  readonly conflictPolicy: ConflictPolicy;
}

/** Syncs the files of a working copy with a service; no other command changes the copy meanwhile. A dry run writes nothing. */
export async function syncDirectory(
  { session, client }: { readonly session: Session; readonly client: PlanledgerClient },
  order: DirectorySync,
): Promise<SyncResult> {
  const { root, url, scope, conflictPolicy, ...options } = order;
  const dryRun = options.dryRun === true;
  const local = fileLocalItems({ root, trees: projectTreesOnDisk({ root, session, client, dryRun }) });
  const bar = progressBar(session.stderr);
  const sync = async () => {
    const bases = fileSyncBaseStore({ root, url, onDamaged: (message) => bar.line(message) });
    const synced = new PlanSyncClient({
      transport: httpSyncTransport({ client }),
      ...{ scope, conflictPolicy },
      content: projectContent({
        ...{ root, client, local, signal: session.signal },
        onProgress: (id, { stage, done, total }) =>
          bar.show({ label: `files of ${printable(id)}, ${stage}`, done, total }),
      }),
      bases,
      otherServerIds: bases.otherServerIds,
    });
    return synced.syncAll(local, {
      ...options,
      signal: session.signal,
      onProgress: (progress) => {
        if (progress.phase === "syncing") bar.show({ label: "items", ...progress });
      },
    });
  };
  try {
    if (dryRun) return await sync();
    return await withDirectoryLock(root, async () => {
      // An apply, or a pull of a project's files, that was interrupted.
      sayRecovered(session, await openDirectoryTarget(root).recover());
      return sync();
    });
  } finally {
    bar.end();
  }
}

/** Uploads what the service lacks of a project's files, which must still be those that were hashed. */
const projectContent = (from: {
  readonly root: string;
  readonly client: PlanledgerClient;
  readonly local: Pick<ReturnType<typeof fileLocalItems>, "directoryOf">;
  readonly signal: AbortSignal;
  readonly onProgress: (id: string, progress: UploadProgress) => void;
}): SyncContent => ({
  async send(kind, item) {
    if (kind !== "projects") return { requests: 0 };
    const directory = await from.local.directoryOf(item.id);
    const files = directory === undefined ? [] : await projectFiles(from.root, directory);
    let requests = 0;
    const counting: Pick<PlanledgerClient, "content"> = {
      content: {
        ...from.client.content,
        missing: (...request) => {
          requests += 1;
          return from.client.content.missing(...request);
        },
        sendPack: (...request) => {
          requests += 1;
          return from.client.content.sendPack(...request);
        },
        upload: (...request) => {
          requests += 1;
          return from.client.content.upload(...request);
        },
      },
    };
    const { tree } = await uploadTree({
      ...{ client: counting, files, signal: from.signal },
      onProgress: (progress) => from.onProgress(item.id, progress),
    });
    if (tree === item.tree) return { requests };
    throw new ConflictError({
      code: "content_mismatch",
      message: `The files of ${item.id} in ${directory ?? "its directory"} changed while they were being synced; sync again.`,
      details: { directory },
    });
  },
});
