import type { DerivedChangesetStore } from "../apply/derived-changeset-store.ts";
import type { Log } from "../log/log.ts";
import type { ResourceStore } from "../resource/resource-store.ts";
import type { EndedRunPorts } from "../run/move-ended-run.ts";
import type { HintQueue } from "../run/run-store.ts";
import type { PlanViewPorts } from "./plan-view-ports.ts";

/** What deciding about changesets and applying them needs. */
export interface ApplyPorts extends PlanViewPorts, EndedRunPorts {
  readonly frontiers: EndedRunPorts["frontiers"];
  readonly steps: EndedRunPorts["steps"] & PlanViewPorts["steps"];
  readonly resources: ResourceStore;
  readonly derived: DerivedChangesetStore;
  /** "Carry out what this run's frontier says": hints, never facts. */
  readonly applies: HintQueue;
  readonly log: Log;
}
