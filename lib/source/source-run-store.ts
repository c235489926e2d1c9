import type { SourceRun } from "./source-run.ts";

export interface SourcePlace {
  readonly tenant: string;
  readonly sourceId: string;
}

/** So many runs of a source stay on record. */
export const keptSourceRuns = 50;

/** The last runs of sources. */
export interface SourceRunStore {
  /** Once a run is on record it stays as it is: `false` when it, or one so much later that it took its place, is there already. */
  record(place: SourcePlace, run: SourceRun): Promise<boolean>;
  /** The newest first, up to `keptSourceRuns`. Strongly consistent. */
  list(place: SourcePlace): Promise<readonly SourceRun[]>;
}
