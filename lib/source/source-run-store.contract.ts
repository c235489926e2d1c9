import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { SyncSummary } from "../sync/sync-summary.ts";
import { keptSummary, type SourceRun } from "./source-run.ts";
import { keptSourceRuns, type SourceRunStore } from "./source-run-store.ts";

let count = 0;
const place = () => ({ tenant: `t${++count}`, sourceId: "01ARZ3NDEKTSV4RRFFQ69G5FAV" });

const run = (number: number, fields: Partial<SourceRun> = {}): SourceRun =>
  ({
    run: number,
    startedAtEpochMs: 1_790_000_000_000 + number,
    endedAtEpochMs: 1_790_000_001_000 + number,
    outcome: "completed",
    unchanged: false,
    summary: keptSummary(new SyncSummary({ pulled: number }), (text) => text),
    ...fields,
  }) as SourceRun;

/** The behaviour of every `SourceRunStore`. */
export function sourceRunStoreContract(name: string, open: () => Promise<SourceRunStore>): void {
  describe(`${name} as a SourceRunStore`, () => {
    it("gives back runs of all outcomes, the newest first, and nobody else's", async () => {
      const store = await open();
      const [mine, theirs] = [place(), place()];
      const { summary } = run(1) as Extract<SourceRun, { outcome: "completed" }>;
      const problems = new SyncSummary({
        conflicts: [{ kind: "tools", item: "local/a", reason: "both sides" }],
        errors: [{ item: "local/b", reason: "no", code: "x", field: "/y" }],
      });
      const head = ({ run: number, startedAtEpochMs, endedAtEpochMs }: SourceRun) => ({
        ...{ run: number, startedAtEpochMs, endedAtEpochMs },
      });
      const runs: readonly SourceRun[] = [
        run(1),
        { ...head(run(2)), outcome: "unfinished", message: "time", summary },
        { ...head(run(3)), outcome: "failed", problem: { code: "unavailable", message: "m" }, summary },
        { ...head(run(4)), outcome: "stopped", message: "s", summary: keptSummary(problems, (text) => text) },
        { ...head(run(5)), outcome: "killed", message: "k" },
      ];
      for (const one of runs) assert.equal(await store.record(mine, one), true);
      await store.record(theirs, run(9));
      assert.deepEqual(await store.list(mine), runs.toReversed());
      assert.deepEqual(await store.list(place()), []);
    });

    it("leaves a run that is on record as it is", async () => {
      const store = await open();
      const at = place();
      assert.equal(await store.record(at, run(1)), true);
      assert.equal(await store.record(at, run(1, { endedAtEpochMs: 1 })), false);
      assert.deepEqual(await store.list(at), [run(1)]);
    });

    it("keeps the last runs, and takes none back that came before them", async () => {
      const store = await open();
      const at = place();
      for (let number = 1; number <= keptSourceRuns + 2; number += 1) await store.record(at, run(number));
      assert.equal(await store.record(at, run(1)), false);
      const listed = await store.list(at);
      assert.deepEqual(
        [listed.length, listed[0]?.run, listed.at(-1)?.run],
        [keptSourceRuns, keptSourceRuns + 2, 3],
      );
    });
  });
}
