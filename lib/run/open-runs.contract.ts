import assert from "node:assert/strict";
import { before, test } from "node:test";
import { newRunRecord } from "./run-record.testkit.ts";
import type { FrontierStore, OpenRuns, RunKey } from "./run-store.ts";

/**
 * The behaviour of every `OpenRuns` over its frontiers. `open` is called once; other runs may stand in the store. An index
 * that is only eventually consistent is given time by `settled`, which is awaited before each listing.
 */
export function openRunsContract(
  name: string,
  options: {
    readonly open: () => Promise<{ readonly frontiers: FrontierStore; readonly openRuns: OpenRuns }>;
    readonly settled?: () => Promise<void>;
  },
): void {
  let frontiers: FrontierStore;
  let openRuns: OpenRuns;
  before(async () => {
    ({ frontiers, openRuns } = await options.open());
  });

  async function due(nowEpochSeconds: number, limit: number): Promise<readonly RunKey[]> {
    await options.settled?.();
    const found: RunKey[] = [];
    let cursor: string | undefined;
    do {
      const page = await openRuns.due({
        nowEpochSeconds,
        limit,
        ...(cursor === undefined ? {} : { cursor }),
      });
      assert.ok(page.runs.length <= limit);
      found.push(...page.runs);
      cursor = page.cursor;
    } while (cursor !== undefined);
    return found;
  }
  const plansOf = (runs: readonly RunKey[]): readonly string[] => runs.map(({ planId }) => planId);

  test(`${name}: a run is due from its next check on, and not before`, async () => {
    const { frontier } = await frontiers.create(newRunRecord());
    const at = frontier.nextCheckEpochSeconds ?? 0;
    assert.ok(!plansOf(await due(at - 1, 100)).includes(frontier.planId));
    assert.ok(plansOf(await due(at, 100)).includes(frontier.planId));
  });

  test(`${name}: pages together hold every due run once, with its key`, async () => {
    const created = await Promise.all(Array.from({ length: 7 }, () => frontiers.create(newRunRecord())));
    const found = await due(created[0]?.frontier.nextCheckEpochSeconds ?? 0, 2);
    for (const { frontier } of created) {
      const { tenant, planId, run } = frontier;
      assert.deepEqual(
        found.filter((key) => key.planId === planId),
        [{ tenant, planId, run }],
      );
    }
  });

  test(`${name}: a run without a next check is in no listing, one that is put off comes later`, async () => {
    const [ended, putOff] = [
      await frontiers.create(newRunRecord()),
      await frontiers.create(newRunRecord()),
    ] as const;
    const at = ended.frontier.nextCheckEpochSeconds ?? 0;
    const { nextCheckEpochSeconds: _, ...rest } = ended.frontier;
    assert.equal(await frontiers.move({ ...rest, revision: 1 }), true);
    assert.equal(
      await frontiers.move({ ...putOff.frontier, revision: 1, nextCheckEpochSeconds: at + 600 }),
      true,
    );
    const now = plansOf(await due(at, 100));
    assert.ok(!now.includes(ended.frontier.planId));
    assert.ok(!now.includes(putOff.frontier.planId));
    const later = plansOf(await due(at + 600, 100));
    assert.ok(!later.includes(ended.frontier.planId));
    assert.ok(later.includes(putOff.frontier.planId));
  });
}
