import type { ContentStore } from "../content/content-store.ts";
import type { FileState } from "../tree/file-state.ts";
import type { StepRef } from "./step.ts";

/** What a run left at a path (`null`: nothing), and the step that holds its content (absent: the content store does). */
export interface OverlayEntry {
  readonly file: FileState | null;
  readonly at?: StepRef;
}

/** What differs from the pinned bases, by resource and path. */
export type RunOverlay = ReadonlyMap<string, ReadonlyMap<string, OverlayEntry>>;

/** The exact state of a run at its position. Live: it grows as the engine goes on. */
export interface RunState {
  readonly overlay: RunOverlay;
  /** Decisions of this run that are final and did not land: ordinals to ids. */
  readonly notLanded: ReadonlyMap<number, string>;
  /** Content of the bases and of everything the run and the runs before it wrote and still stands. */
  readonly content: Pick<ContentStore, "get">;
}
