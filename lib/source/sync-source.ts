import * as z from "zod/mini";
import { resourceKinds } from "../resource/resource-store.ts";
import type { TimedRecord } from "../schedule/timed-record.ts";
import { conflictPolicies } from "../sync/conflict-policy.ts";
import { syncDirections } from "../sync/sync-direction.ts";

const epochMs = z.int().check(z.minimum(0));
const count = z.int().check(z.minimum(0));

/** Where a source is. A token is named (`secret:NAME`), never kept: it is looked up when a run begins. */
const sourceOrigin = z.discriminatedUnion("kind", [
  z.object({ kind: z.literal("service"), url: z.string(), token: z.string() }),
  z.object({ kind: z.literal("catalogue"), url: z.string(), token: z.optional(z.string()) }),
]);

/** How it is synced: as the command line's options of the same names. */
const sourceRules = z.object({
  scope: z.array(z.enum(resourceKinds)),
  direction: z.enum(syncDirections),
  policy: z.enum(conflictPolicies),
  dryRun: z.boolean(),
  prune: z.boolean(),
  force: z.boolean(),
  maxDelete: z.int().check(z.minimum(0)),
});
export type SourceRules = z.infer<typeof sourceRules>;

/** The catalogue as a run left it with nothing more to do: the same again costs one conditional request. */
const seenCatalogue = z.object({ sha256: z.string(), etag: z.optional(z.string()) });
export type SeenCatalogue = z.infer<typeof seenCatalogue>;

/** Of the run that is under way. It ends by itself, should whoever runs it be killed. */
const lease = z.object({
  /** Which run, of which place. */
  sourceId: z.string(),
  run: z.int().check(z.minimum(1)),
  startedAtEpochMs: epochMs,
  untilEpochMs: epochMs,
  /** The run is to end at its next step, since the source was changed under it. */
  stop: z.boolean(),
});
export type SourceLease = z.infer<typeof lease>;

const sourceOutcomes = ["completed", "unfinished", "failed", "stopped", "killed"] as const;

/** How the last run ended, in short; the runs themselves stand elsewhere. */
const lastRun = z.object({
  run: z.int().check(z.minimum(1)),
  outcome: z.enum(sourceOutcomes),
  endedAtEpochMs: epochMs,
  /** What was in its way, or what is to be known about it. */
  message: z.optional(z.string()),
});

/** What a source holds beside its key. */
export const storedSyncSource = z.object({
  from: sourceOrigin,
  rules: sourceRules,
  everyMinutes: z.int().check(z.minimum(1)),
  /** Whom its writes stand for. */
  savedBy: z.string(),
  savedAtEpochMs: epochMs,
  paused: z.boolean(),
  /** Under which its bases and runs are kept; another one once it leads elsewhere: what was agreed with one server says nothing about another. */
  sourceId: z.string(),
  /** Runs so far, the one under way included: the fence of what it writes. */
  runs: count,
  lease: z.optional(lease),
  /** Somebody asked for a run; it does not wait for its time, nor for the end of a pause. */
  requested: z.boolean(),
  /** The last runs that failed, one after another. */
  failures: count,
  /** When the next run is due; none while it is paused. */
  nextAtEpochMs: z.optional(epochMs),
  /** A message for the worker is on its way until then; after that it counts as lost. */
  sentUntilEpochMs: z.optional(epochMs),
  seen: z.optional(seenCatalogue),
  lastRun: z.optional(lastRun),
});

/** Another service, or a catalogue, whose actions, skills, tools and projects come into this tenant again and again. */
export type SyncSource = TimedRecord & z.infer<typeof storedSyncSource>;
