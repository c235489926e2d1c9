import type { ContentStore } from "../content/content-store.ts";
import type { PlanStore } from "../plan/plan-store.ts";
import type { Clock, Timer } from "./clock.ts";
import type { OpenExecutor } from "./decision-executor.ts";
import type {
  ExternalResultStore,
  FrontierStore,
  HintQueue,
  OpenRuns,
  RunRecordStore,
  StepStore,
} from "./run-store.ts";
import type { Signer } from "./signer.ts";

/** What the engine needs of the world, wired by the handler's entry. */
export interface RunPorts {
  readonly plans: Pick<PlanStore, "get">;
  readonly frontiers: FrontierStore;
  readonly runs: RunRecordStore;
  readonly steps: StepStore;
  readonly results: ExternalResultStore;
  readonly openRuns: OpenRuns;
  readonly hints: HintQueue;
  /** A tenant's content. */
  readonly contentOf: (tenant: string) => ContentStore;
  readonly openExecutor: OpenExecutor;
  readonly signer: Signer;
  readonly clock: Clock;
  readonly timer: Timer;
  /** Version of the code, for the records it writes. */
  readonly version: string;
}
