import { InfrastructureError } from "../errors/planledger-error.ts";
import { isEnded } from "./ended-run.ts";
import type { Frontier } from "./frontier.ts";
import type { HeadMove } from "./frontier-move.ts";
import { headStatementBytes } from "./head-statement.ts";
import type { RunPorts } from "./run-ports.ts";
import { withRoom } from "./spill-events.ts";

export type EndedRunPorts = Pick<RunPorts, "frontiers" | "steps" | "signer" | "clock" | "version">;

/** Ten callers at once are not unusual; so many lost races in a row mean that something is wrong. */
const maxAttempts = 50;

/**
 * Reads a frontier, decides on a move and makes it, signed; when somebody else was faster, all over again. A decision of
 * `undefined` leaves all as it is. Answers the frontier that stands then, and whether this call moved it.
 */
export async function moveEndedRun(
  read: () => Promise<Frontier>,
  decide: (frontier: Frontier) => Promise<HeadMove | undefined> | HeadMove | undefined,
  ports: EndedRunPorts,
): Promise<{ readonly frontier: Frontier; readonly moved: boolean }> {
  for (let attempt = 0; attempt < maxAttempts; attempt += 1) {
    const found = await read();
    const frontier = isEnded(found) ? await withRoom(found, ports) : found;
    const move = await decide(frontier);
    if (move === undefined) return { frontier: found, moved: false };
    const next = move.signed(await ports.signer.sign(headStatementBytes(move.statement)));
    if (await ports.frontiers.move(next)) return { frontier: next, moved: true };
  }
  throw new InfrastructureError({
    message: `The plan moved on ${maxAttempts} times while something was to be decided about its changeset. Try again.`,
  });
}
