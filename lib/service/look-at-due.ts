import { concurrently } from "../client/concurrently.ts";
import { faultFields } from "../log/fault-fields.ts";
import type { Log } from "../log/log.ts";
import type { Clock } from "../run/clock.ts";
import type { TimedKey, TimedKind } from "../schedule/timed-record.ts";
import type { DueKey, DueRecords } from "../schedule/timed-record-store.ts";

/** So much of what is due is read, so many of those are looked at in one tick, so many of them side by side. */
const readATick = 10_000;
const looksATick = 500;
const looksAtOnce = 8;

/** What a tick came to: how many records were due, looked at, and moved on. */
export interface Looked {
  readonly due: number;
  readonly looks: number;
  readonly moved: number;
  readonly faults: number;
}

/**
 * One tick: looks at what is due, of all kinds and tenants, each for itself: a fault at one is logged and never another's.
 * Tenants take turns, so that who has much that is due keeps nobody else waiting. Ends early where no time is left. What is
 * not reached stays due.
 */
export const lookAtDue = async (ports: {
  readonly due: DueRecords;
  /** Answers whether the record was moved on. */
  readonly look: Readonly<Record<TimedKind, (key: TimedKey) => Promise<boolean>>>;
  readonly hasTime: () => boolean;
  readonly clock: Clock;
  readonly log: Log;
}): Promise<Looked> => {
  const nowEpochSeconds = Math.floor(ports.clock.now() / 1000);
  const keys = await ports.due.due({ nowEpochSeconds, limit: readATick });
  const tally = { looks: 0, moved: 0, faults: 0 };
  await concurrently(inTurns(keys).slice(0, looksATick), looksAtOnce, async ({ kind, tenant, name }) => {
    if (!ports.hasTime()) return;
    tally.looks += 1;
    try {
      if (await ports.look[kind]({ tenant, name })) tally.moved += 1;
    } catch (fault) {
      tally.faults += 1;
      ports.log.write({
        level: "error",
        event: "look_failed",
        tenant,
        schedule: `${kind}/${name}`,
        ...faultFields(fault),
      });
    }
  });
  return { due: keys.length, ...tally };
};

/** The first of each tenant, then the second of each, and so on; those of one turn as they were. */
const inTurns = (keys: readonly DueKey[]): readonly DueKey[] => {
  const turns = new Map<string, number>();
  return keys
    .map((key) => {
      const turn = turns.get(key.tenant) ?? 0;
      turns.set(key.tenant, turn + 1);
      return { key, turn };
    })
    .sort((one, other) => one.turn - other.turn)
    .map(({ key }) => key);
};
