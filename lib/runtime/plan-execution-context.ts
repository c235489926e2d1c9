import type { ChangeEntry } from "../changeset/change-entry.ts";
import { changeEntrySchema } from "../changeset/change-entry-schema.ts";
import type { ChangeSet } from "../changeset/change-set.ts";
import type { ChangeSetStore } from "../changeset/change-set-store.ts";
import { InMemoryChangeSetStore } from "../changeset/in-memory-change-set-store.ts";
import { PlanError, ValidationError } from "../errors/planledger-error.ts";
import type { AutomationProfile } from "../plan/compiled-plan.ts";
import type { Clock, IdSource } from "../run/clock.ts";
import { type ChangesetRecording, changesetRecording } from "./changeset-recording.ts";
import { requireContextOptions } from "./context-options.ts";
import { randomIdSource } from "./random-id-source.ts";
import { systemClock } from "./system-clock.ts";

/** A resource as a plan document names it under `projectResources`. */
export interface ProjectResource {
  readonly project?: string;
  readonly tree?: string;
  readonly access?: "read" | "write";
}

export interface PlanExecutionContextOptions {
  readonly planId: string;
  readonly decisionRootId?: string | undefined;
  /** A directory that tools read and write in place. */
  readonly sandboxRoot?: string | undefined;
  readonly automationProfile?: AutomationProfile | undefined;
  readonly changesetStore?: ChangeSetStore | undefined;
  readonly projectResources?: Readonly<Record<string, ProjectResource>> | undefined;
  readonly resourceBindings?: Readonly<Record<string, string>> | undefined;
  readonly clock?: Clock | undefined;
  readonly ids?: IdSource | undefined;
}

export interface RecordChangeOptions {
  /** Which active changeset; without it the one that was started last. */
  readonly changesetId?: string;
  /** Content before and after by SHA-256, so that a diff can show lines later. */
  readonly contents?: ReadonlyMap<string, Uint8Array>;
}

export interface ContextSummary {
  readonly planId: string;
  readonly decisionRootId?: string;
  readonly sandboxRoot?: string;
  readonly automationProfile: AutomationProfile;
  /** Changesets that this context started, sealed ones included. */
  readonly changesetIds: readonly string[];
  readonly entryCount: number;
  /** Resources that the entries touch. */
  readonly resourceCount: number;
  /** Files (resource and path) that the entries touch. */
  readonly pathCount: number;
  readonly projectResourceCount: number;
  readonly resourceBindingCount: number;
}

/**
 * Everything one execution of a plan needs to know about itself, and the changesets it records into. Entries are
 * buffered by decision and written to the store as whole decisions (when the next one begins, on `flush` and on
 * `sealChangeset`); reads through the context show buffered entries too. A failure of the store rejects the operation
 * that met it and loses nothing: what is buffered goes with the next one. Throws `ValidationError` naming the field.
 */
export class PlanExecutionContext {
  readonly planId: string;
  readonly decisionRootId: string | undefined;
  readonly sandboxRoot: string | undefined;
  readonly automationProfile: AutomationProfile;
  readonly changesetStore: ChangeSetStore;
  readonly projectResources: Readonly<Record<string, ProjectResource>>;
  readonly resourceBindings: Readonly<Record<string, string>>;
  readonly clock: Clock;
  readonly ids: IdSource;
  readonly #started: string[] = [];
  readonly #active = new Map<string, ChangesetRecording>();

  constructor(options: PlanExecutionContextOptions) {
    requireContextOptions(options);
    this.planId = options.planId;
    this.decisionRootId = options.decisionRootId;
    this.sandboxRoot = options.sandboxRoot;
    this.automationProfile = options.automationProfile ?? "manual";
    this.changesetStore = options.changesetStore ?? new InMemoryChangeSetStore();
    this.projectResources = options.projectResources ?? {};
    this.resourceBindings = options.resourceBindings ?? {};
    this.clock = options.clock ?? systemClock;
    this.ids = options.ids ?? randomIdSource(this.clock);
  }

  /** Changesets that were started here and are not sealed, in the order they were started. */
  get activeChangesetIds(): readonly string[] {
    return [...this.#active.keys()];
  }

  /** Starts a changeset and answers its id, a ULID. */
  async startChangeset(): Promise<string> {
    const changesetId = this.ids.ulid();
    await this.changesetStore.start({ changesetId, planId: this.planId });
    this.#started.push(changesetId);
    this.#active.set(changesetId, changesetRecording({ changesetId, store: this.changesetStore }));
    return changesetId;
  }

  /**
   * Records one entry into the active changeset (the one that was started last, or the one named). Rejects with
   * `PlanError` (`no_active_changeset`) where there is none such, `ValidationError` where the entry is malformed.
   */
  async recordChange(entry: ChangeEntry, options: RecordChangeOptions = {}): Promise<void> {
    const recording = this.#recording(options.changesetId);
    const parsed = changeEntrySchema.safeParse(entry);
    if (!parsed.success) {
      const issue = parsed.error.issues[0];
      const field = ["entry", ...(issue?.path ?? [])].join(".");
      throw new ValidationError({
        field,
        message: `recordChange: ${field} is not valid: ${issue?.message ?? "malformed"}.`,
      });
    }
    recording.record(parsed.data, options.contents ?? new Map());
  }

  /** Writes what is buffered of every active changeset to the store. */
  async flush(): Promise<void> {
    for (const recording of this.#active.values()) {
      await recording.flush();
    }
  }

  /** Seals an active changeset under its digest, after everything buffered is written; it is active no longer. */
  async sealChangeset(changesetId: string, digest: string): Promise<void> {
    await this.#recording(changesetId).seal(digest);
    this.#active.delete(changesetId);
  }

  /**
   * Takes a changeset out of the active ones unsealed, after a fault that ended its run with nothing to show: it stays in
   * the store, readable and open, with the whole decisions that had reached it.
   */
  abandonChangeset(changesetId: string): void {
    this.#active.delete(changesetId);
  }

  /** A changeset of this plan, what is still buffered included; `undefined` where the store has none of this plan. */
  async getChangeset(changesetId: string): Promise<ChangeSet | undefined> {
    const recording = this.#active.get(changesetId);
    const changeset = await (recording?.read() ?? this.changesetStore.get(changesetId));
    return changeset?.planId === this.planId ? changeset : undefined;
  }

  /** Bytes that an entry of a changeset of this plan names. */
  async changesetContent(changesetId: string, sha256: string): Promise<Uint8Array | undefined> {
    const recording = this.#active.get(changesetId);
    return recording === undefined
      ? this.changesetStore.content(changesetId, sha256)
      : recording.content(sha256);
  }

  /** Counts over all changesets that this context started. */
  async summarize(): Promise<ContextSummary> {
    const changesets = await Promise.all(this.#started.map((changesetId) => this.getChangeset(changesetId)));
    const entries = changesets.flatMap((changeset) => changeset?.entries ?? []);
    return {
      planId: this.planId,
      ...(this.decisionRootId !== undefined && { decisionRootId: this.decisionRootId }),
      ...(this.sandboxRoot !== undefined && { sandboxRoot: this.sandboxRoot }),
      automationProfile: this.automationProfile,
      changesetIds: [...this.#started],
      entryCount: entries.length,
      resourceCount: new Set(entries.map((entry) => entry.resource)).size,
      pathCount: new Set(entries.map((entry) => `${entry.resource}\0${entry.path}`)).size,
      projectResourceCount: Object.keys(this.projectResources).length,
      resourceBindingCount: Object.keys(this.resourceBindings).length,
    };
  }

  #recording(changesetId: string | undefined): ChangesetRecording {
    const active = this.activeChangesetIds;
    const chosen = changesetId ?? active.at(-1);
    const recording = chosen === undefined ? undefined : this.#active.get(chosen);
    if (recording === undefined) {
      const what =
        changesetId === undefined
          ? `Plan ${this.planId} has no active changeset; call startChangeset() first.`
          : `Plan ${this.planId} has no active changeset ${changesetId}; active: ${active.join(", ") || "none"}.`;
      throw new PlanError({
        code: "no_active_changeset",
        message: what,
        details: { planId: this.planId, activeChangesetIds: active },
      });
    }
    return recording;
  }
}
