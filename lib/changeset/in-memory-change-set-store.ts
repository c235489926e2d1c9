import { ConflictError, NotFoundError } from "../errors/planledger-error.ts";
import type { ChangeEntry } from "./change-entry.ts";
import type { ChangeSet } from "./change-set.ts";
import type { ChangeSetStore, DecisionChanges } from "./change-set-store.ts";
import { sameChanges } from "./same-changes.ts";

interface Kept {
  readonly changesetId: string;
  readonly planId: string;
  readonly decisions: Map<number, { readonly decisionId: string; readonly entries: readonly ChangeEntry[] }>;
  readonly contents: Map<string, Uint8Array>;
  digest?: string;
}

/**
 * Changesets in this process, gone when it ends: the default of a `PlanExecutionContext` (R5) and the reference for the
 * contract suite. Everything is copied on the way in and out, so that no caller can edit what was recorded.
 */
export class InMemoryChangeSetStore implements ChangeSetStore {
  readonly #changesets = new Map<string, Kept>();

  async start(changeset: { readonly changesetId: string; readonly planId: string }): Promise<void> {
    const { changesetId, planId } = changeset;
    const standing = this.#changesets.get(changesetId);
    if (standing === undefined) {
      this.#changesets.set(changesetId, { changesetId, planId, decisions: new Map(), contents: new Map() });
    } else if (standing.planId !== planId) {
      throw new ConflictError({
        code: "store_conflict",
        message: `Changeset ${changesetId} belongs to plan ${standing.planId}, not to ${planId}.`,
        details: { changesetId, planId: standing.planId },
      });
    }
  }

  async append(changesetId: string, changes: DecisionChanges): Promise<void> {
    const kept = this.#kept(changesetId);
    const { decisionId, position } = changes;
    if (kept.digest !== undefined) {
      throw new ConflictError({
        code: "changeset_sealed",
        message: `Changeset ${changesetId} is sealed under ${kept.digest}; decision ${decisionId} cannot be added to it.`,
        details: { changesetId, digest: kept.digest },
      });
    }
    const standing = kept.decisions.get(position);
    if (standing === undefined) {
      kept.decisions.set(position, { decisionId, entries: structuredClone(changes.entries) });
    } else if (!sameChanges(standing, changes)) {
      throw new ConflictError({
        code: "store_conflict",
        message: `Changeset ${changesetId} already holds other changes (decision ${standing.decisionId}) at position ${position}.`,
        details: { changesetId, position, decisionId: standing.decisionId },
      });
    }
    for (const [sha256, bytes] of changes.contents) {
      if (!kept.contents.has(sha256)) {
        kept.contents.set(sha256, bytes.slice());
      }
    }
  }

  async seal(changesetId: string, digest: string): Promise<void> {
    const kept = this.#kept(changesetId);
    if (kept.digest !== undefined && kept.digest !== digest) {
      throw new ConflictError({
        code: "changeset_sealed",
        message: `Changeset ${changesetId} is sealed under ${kept.digest}, not under ${digest}.`,
        details: { changesetId, digest: kept.digest },
      });
    }
    kept.digest = digest;
  }

  async get(changesetId: string): Promise<ChangeSet | undefined> {
    const kept = this.#changesets.get(changesetId);
    if (kept === undefined) {
      return undefined;
    }
    const inOrder = [...kept.decisions].sort(([a], [b]) => a - b);
    const entries = structuredClone(inOrder.flatMap(([, decision]) => decision.entries));
    const { planId, digest } = kept;
    return digest === undefined
      ? { changesetId, planId, entries, state: "open" }
      : { changesetId, planId, entries, state: "sealed", digest };
  }

  async content(changesetId: string, sha256: string): Promise<Uint8Array | undefined> {
    return this.#changesets.get(changesetId)?.contents.get(sha256)?.slice();
  }

  #kept(changesetId: string): Kept {
    const kept = this.#changesets.get(changesetId);
    if (kept === undefined) {
      throw new NotFoundError({
        code: "not_found",
        message: `There is no changeset ${changesetId}; start it before recording into it.`,
        details: { changesetId },
      });
    }
    return kept;
  }
}
