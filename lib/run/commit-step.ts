import type { CheckpointRef, Frontier, RunUnits } from "./frontier.ts";
import { RunMoved } from "./run-moved.ts";
import type { RunPorts } from "./run-ports.ts";
import { advance } from "./run-progress.ts";
import { addUnits, writeUnits } from "./run-units.ts";
import { signSealing } from "./sign-sealing.ts";
import type { Step } from "./step.ts";

export interface StepCommit {
  readonly step: Step;
  readonly watch: number;
  readonly spent: Partial<RunUnits>;
  /** Called with the step when it is the caller's own, before the move. */
  readonly checkpoint?: () => Promise<CheckpointRef | undefined>;
}

/**
 * Makes a step final: writes it (or adopts the one that stands under its position and epoch), then moves the frontier over
 * it. While others only touched the frontier (a heartbeat, a suspicion) at the same position and epoch, the move is tried
 * again; anything else is `RunMoved`. `adopted` tells that another worker's step became final, so that the caller's state
 * is not the run's.
 */
export async function commitStep(
  frontier: Frontier,
  commit: StepCommit,
  ports: Pick<RunPorts, "steps" | "frontiers" | "signer" | "clock">,
): Promise<{ readonly frontier: Frontier; readonly adopted: boolean }> {
  const { step: own, watch, spent } = commit;
  const { step, storedBytes } = await ports.steps.putIfAbsent(frontier, own);
  // One of the same decisions may keep their content elsewhere, where the caller's state does not look.
  const adopted = step !== own;
  const checkpoint = adopted ? undefined : await commit.checkpoint?.();
  let current = frontier;
  for (;;) {
    const units = addUnits(addUnits(current.units, spent), {
      steps: 1,
      stepWriteUnits: writeUnits(storedBytes),
      contentPuts: checkpoint === undefined ? 0 : 1,
    });
    const nowEpochMs = ports.clock.now();
    const move = advance(current, {
      step,
      nowEpochMs,
      watch,
      units,
      ...(checkpoint === undefined ? {} : { checkpoint }),
    });
    const next = move.kind === "move" ? move.next : await signSealing(move.sealing, ports.signer);
    if (await ports.frontiers.move(next)) {
      return { frontier: next, adopted };
    }
    current = await stillAt(current, ports);
  }
}

/** The frontier as it stands, if the run is still where `known` has it: running, same position, same epoch. */
export async function stillAt(known: Frontier, ports: Pick<RunPorts, "frontiers">): Promise<Frontier> {
  const fresh = await ports.frontiers.read(known);
  if (
    fresh === undefined ||
    fresh.state.phase !== "running" ||
    fresh.position !== known.position ||
    fresh.epoch !== known.epoch
  ) {
    throw new RunMoved();
  }
  return fresh;
}
