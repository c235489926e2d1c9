import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { propertyRuns } from "../tree/property-runs.testkit.ts";
import { conflictPolicies } from "./conflict-policy.ts";
import type { SyncOrder } from "./run-sync.ts";
import { syncDirections } from "./sync-direction.ts";
import type { Fuse } from "./sync-fuse.testkit.ts";
import type { SyncProblem } from "./sync-summary.ts";
import {
  bare,
  killedSync,
  picture,
  readable,
  type SyncWorld,
  standing,
  sync,
  syncWorld,
  testItem,
} from "./sync-world.testkit.ts";

const kinds = ["actions", "tools"] as const;
const ids = ["local/a", "local/b", "local/B", "local/caf\u00e9"] as const;

interface Move {
  readonly side: "here" | "there";
  readonly what: "write" | "delete" | "rename";
  readonly kind: (typeof kinds)[number];
  readonly id: (typeof ids)[number];
  readonly to: (typeof ids)[number];
  readonly text: number;
  readonly version: string;
}

interface Round {
  readonly moves: readonly Move[];
  readonly rules: Pick<SyncOrder, "policy" | "direction" | "prune" | "force">;
  readonly fuses: readonly Fuse[];
  readonly unprocessed: number;
}

const move: fc.Arbitrary<Move> = fc.record({
  side: fc.constantFrom("here", "there"),
  what: fc.constantFrom("write", "write", "write", "delete", "rename"),
  kind: fc.constantFrom(...kinds),
  id: fc.constantFrom(...ids),
  to: fc.constantFrom(...ids),
  text: fc.nat({ max: 3 }),
  version: fc.constantFrom("1.0", "1.9", "1.10", "2"),
});
const fuse: fc.Arbitrary<Fuse> = fc.record({
  atCall: fc.integer({ min: 1, max: 24 }),
  when: fc.constantFrom("before", "after", "half"),
});
const round: fc.Arbitrary<Round> = fc.record({
  moves: fc.array(move, { maxLength: 6 }),
  rules: fc.record({
    policy: fc.constantFrom(...conflictPolicies),
    direction: fc.constantFrom(...syncDirections),
    prune: fc.boolean(),
    force: fc.boolean(),
  }),
  fuses: fc.array(fuse, { maxLength: 3 }),
  unprocessed: fc.nat({ max: 3 }),
});
const story = fc.array(round, { minLength: 1, maxLength: 5 });

function make(world: SyncWorld, { side, what, kind, id, to, text, version }: Move): void {
  if (side === "here") makeHere(world, { what, kind, id, to, text, version });
  else makeThere(world, { what, kind, id, to, text, version });
}

function makeHere({ items }: SyncWorld, { what, kind, id, to, text, version }: Omit<Move, "side">): void {
  const list = items[kind];
  const at = list.findIndex((item) => item.id === id);
  const found = list[at];
  if (what === "write") {
    if (found === undefined) list.push(testItem(id, { version, text: `text ${text}` }));
    else Object.assign(found, { version, text: `text ${text}` });
  } else if (found !== undefined && what === "delete") list.splice(at, 1);
  // A rename keeps the server's id in the metadata, as a renamed file does.
  else if (found !== undefined && list.every((item) => item.id !== to)) found.id = to;
}

function makeThere({ server }: SyncWorld, { what, kind, id, to, text, version }: Omit<Move, "side">): void {
  const found = server.history({ kind, id }).at(-1);
  const alive = found !== undefined && !found.row.deleted;
  if (what === "write") server.put(kind, bare(testItem(id, { version, text: `text ${text}` })));
  else if (alive && what === "delete") server.delete({ kind, id });
  else if (alive && what === "rename" && id !== to) {
    server.put(kind, { ...found.item, id: to });
    server.delete({ kind, id });
  }
}

async function play(world: SyncWorld, { moves, rules, unprocessed }: Round): Promise<Partial<SyncOrder>> {
  for (const one of moves) make(world, one);
  world.server.leaveUnprocessed(unprocessed);
  return { ...rules, kinds };
}

const lost = (before: ReadonlySet<string>, world: SyncWorld): readonly string[] => {
  const after = readable(world);
  return [...before].filter((content) => !after.has(content));
};

const runs = { numRuns: propertyRuns(300) };

test("F26: a sync that is killed anywhere and run again ends as the undisturbed run does", async () => {
  await fc.assert(
    fc.asyncProperty(story, async (rounds) => {
      const [calm, disturbed] = [syncWorld({ pageRows: 3 }), syncWorld({ pageRows: 3 })];
      for (const one of rounds) {
        await sync(calm, await play(calm, one));
        const rules = await play(disturbed, one);
        for (const killing of one.fuses) await killedSync(disturbed, rules, killing);
        await sync(disturbed, rules);
        assert.deepEqual(picture(disturbed), picture(calm));
      }
    }),
    runs,
  );
});

test("no content that either side wrote is lost from both the files and the server's history", async () => {
  await fc.assert(
    fc.asyncProperty(story, async (rounds) => {
      const world = syncWorld();
      for (const one of rounds) {
        const rules = await play(world, one);
        const before = readable(world);
        for (const killing of one.fuses) {
          await killedSync(world, rules, killing);
          assert.deepEqual(lost(before, world), []);
        }
        if (one.fuses.length === 0) await sync(world, rules);
        assert.deepEqual(lost(before, world), []);
      }
    }),
    runs,
  );
});

test("a second sync changes nothing anywhere, and says the same", async () => {
  await fc.assert(
    fc.asyncProperty(story, async (rounds) => {
      const world = syncWorld();
      for (const one of rounds) {
        const rules = await play(world, one);
        const first = await sync(world, rules);
        const [before, bases] = [picture(world), await world.ports.bases.load()];
        const second = await sync(world, rules);
        assert.deepEqual(picture(world), before);
        assert.deepEqual(await world.ports.bases.load(), bases);
        const { created, updated, pulled, deleted, writes } = second.total;
        assert.deepEqual([created, updated, pulled, deleted, writes], [0, 0, 0, 0, 0]);
        assert.deepEqual(second.total.conflicts, first.total.conflicts);
        assert.deepEqual(withoutPlaces(second.total.errors), withoutPlaces(first.total.errors));
      }
    }),
    runs,
  );
});

/** What was pulled or deleted before it moves an item to another position. */
const withoutPlaces = (errors: readonly SyncProblem[]) =>
  errors.map((error) => ({ ...error, reason: error.reason.replace(/^\w+\[\d+\]: /, "") }));

test("a sync in both directions that may delete and resolves conflicts makes both sides the same", async () => {
  await fc.assert(
    fc.asyncProperty(story, async (rounds) => {
      const world = syncWorld();
      for (const one of rounds) {
        await sync(world, await play(world, one));
      }
      const policy = rounds.length % 2 === 0 ? "local_wins" : "server_wins";
      const result = await sync(world, { kinds, policy, direction: "both", prune: true, force: true });
      assert.ok(result.total.clean);
      const { here, there } = standing(world);
      assert.deepEqual(here, there);
      for (const kind of kinds) {
        const found = world.items[kind].map(({ id }) => id);
        assert.equal(new Set(found).size, found.length);
      }
    }),
    runs,
  );
});

test("a dry run changes nothing anywhere, and counts what the sync then does", async () => {
  await fc.assert(
    fc.asyncProperty(story, async (rounds) => {
      const world = syncWorld();
      for (const one of rounds) {
        const rules = await play(world, { ...one, unprocessed: 0 });
        const [before, bases] = [picture(world), await world.ports.bases.load()];
        const rehearsed = await sync(world, { ...rules, dryRun: true });
        assert.deepEqual(picture(world), before);
        assert.deepEqual(await world.ports.bases.load(), bases);
        const real = await sync(world, rules);
        const counted = ({ total }: typeof real) => {
          const { requests, writes, dryRun, ...counts } = total.toJSON();
          return counts;
        };
        assert.deepEqual(counted(rehearsed), counted(real));
        assert.equal(rehearsed.total.writes, 0);
      }
    }),
    runs,
  );
});

test("nothing is deleted on either side without prune", async () => {
  await fc.assert(
    fc.asyncProperty(story, async (rounds) => {
      const world = syncWorld();
      for (const one of rounds) {
        const rules = await play(world, { ...one, rules: { ...one.rules, prune: false } });
        const before = standing(world);
        const { total } = await sync(world, rules);
        const after = standing(world);
        assert.equal(total.deleted, 0);
        for (const key of Object.keys(before.here)) assert.ok(key in after.here, key);
        for (const key of Object.keys(before.there)) assert.ok(key in after.there, key);
      }
    }),
    runs,
  );
});

test("F26: where only one side ever changes, no kill makes a conflict, whatever is edited in between", async () => {
  await fc.assert(
    fc.asyncProperty(story, async (rounds) => {
      const world = syncWorld();
      for (const one of rounds) {
        const moves = one.moves.map((each): Move => ({ ...each, side: "here" }));
        const rules = await play(world, { ...one, moves });
        const pushing = { ...rules, direction: "push", policy: "manual", force: true } as const;
        for (const killing of one.fuses) await killedSync(world, pushing, killing);
        if (one.fuses.length === 0) {
          const { total } = await sync(world, pushing);
          assert.deepEqual([total.conflicts, total.errors], [[], []]);
        }
      }
      const { total } = await sync(world, { kinds, prune: true, force: true });
      assert.deepEqual([total.conflicts, total.errors], [[], []]);
      const { here, there } = standing(world);
      assert.deepEqual(there, here);
    }),
    runs,
  );
});
