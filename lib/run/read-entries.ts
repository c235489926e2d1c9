import type { ChangeEntry } from "../changeset/change-entry.ts";
import { ValidationError } from "../errors/planledger-error.ts";
import type { RunKey } from "./run-store.ts";
import { openRunView, type RunViewPorts } from "./run-view-ports.ts";

export interface EntriesPage {
  readonly entries: readonly ChangeEntry[];
  /** Pass it back to read on; absent on the last page. */
  readonly cursor?: string;
}

const stepsPerRead = 4;

/**
 * The entries of a run's changeset in the order of its digest: those that landed in run 1, in plan order, then those of run
 * 2, and so on up to the run that was asked for, since its changeset goes on from the ones before.
 */
export async function readEntries(
  key: RunKey,
  page: { readonly cursor?: string; readonly limit: number },
  ports: RunViewPorts,
): Promise<EntriesPage> {
  let [run, position, skip] = page.cursor === undefined ? [1, 0, 0] : parseCursor(page.cursor);
  const entries: ChangeEntry[] = [];
  for (; run <= key.run; run += 1, position = 0, skip = 0) {
    const { frontier } = await openRunView({ ...key, run }, ports);
    while (position < frontier.position) {
      const { tenant, planId, position: before } = frontier;
      const steps = await ports.steps.range({
        tenant,
        planId,
        run,
        from: position,
        before,
        limit: stepsPerRead,
      });
      for (const step of steps) {
        for (const record of step.decisions.slice(position - step.from)) {
          const more = record.entries.slice(skip, skip + page.limit - entries.length);
          entries.push(...more);
          skip += more.length;
          if (skip < record.entries.length) {
            return { entries, cursor: `${run}.${position}.${skip}` };
          }
          position += 1;
          skip = 0;
        }
      }
      if (steps.length === 0) {
        break;
      }
      if (entries.length >= page.limit && (position < frontier.position || run < key.run)) {
        return { entries, cursor: `${run}.${position}.0` };
      }
    }
  }
  return { entries };
}

function parseCursor(cursor: string): [run: number, position: number, skip: number] {
  const match = /^(\d{1,6})\.(\d{1,10})\.(\d{1,10})$/.exec(cursor);
  const [run = 0, position = 0, skip = 0] = match?.slice(1).map(Number) ?? [];
  if (run < 1) {
    throw new ValidationError({
      field: "cursor",
      message: "cursor is none that this changeset's entries gave. Leave it out to begin at the first entry.",
    });
  }
  return [run, position, skip];
}
