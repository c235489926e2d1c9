import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { ValidationError } from "../errors/planledger-error.ts";
import { propertyRuns } from "../tree/property-runs.testkit.ts";
import { acyclicDecisions } from "./plan-document.testkit.ts";
import { type OrderedDecision, planOrder } from "./plan-order.ts";

const idsInOrder = (decisions: readonly OrderedDecision[]) =>
  planOrder(decisions).map((index) => decisions[index]?.id);

/** The rule as `wire.md` words it, in quadratic time. */
function naiveOrder(decisions: readonly OrderedDecision[]): readonly string[] {
  const done: string[] = [];
  for (;;) {
    const ready = decisions.find(
      ({ id, dependsOn }) => !done.includes(id) && (dependsOn ?? []).every((needed) => done.includes(needed)),
    );
    if (ready === undefined) return done;
    done.push(ready.id);
  }
}

test("plan order is that of the list, moved only where dependsOn demands it", () => {
  assert.deepEqual(idsInOrder([{ id: "c" }, { id: "a" }, { id: "b" }]), ["c", "a", "b"]);
  assert.deepEqual(
    idsInOrder([{ id: "a", dependsOn: ["d"] }, { id: "b" }, { id: "c" }, { id: "d" }, { id: "e" }]),
    ["b", "c", "d", "a", "e"],
  );
  assert.deepEqual(idsInOrder([]), []);
});

test("plan order is again and again the ready decision that stands lowest in the list", () => {
  fc.assert(
    fc.property(acyclicDecisions(30), (decisions) => {
      assert.deepEqual(idsInOrder(decisions), naiveOrder(decisions));
    }),
    { numRuns: propertyRuns(300) },
  );
});

const refusal = (decisions: readonly OrderedDecision[]): ValidationError => {
  try {
    planOrder(decisions);
  } catch (error) {
    if (error instanceof ValidationError) return error;
    throw error;
  }
  throw new assert.AssertionError({ message: "the decisions were not refused" });
};

test("F9: A needs B needs A is refused, the cycle spelled out", () => {
  const error = refusal([{ id: "A", dependsOn: ["B"] }, { id: "B", dependsOn: ["A"] }, { id: "C" }]);
  assert.equal(error.code, "dependency_cycle");
  assert.equal(error.field, "/decisions/0/dependsOn/0");
  assert.match(error.message, /A needs B needs A\./);
  assert.deepEqual(error.details.cycle, ["A", "B"]);
});

test("F9: a decision that needs itself is refused, the cycle spelled out", () => {
  const error = refusal([{ id: "B" }, { id: "A", dependsOn: ["B", "A"] }]);
  assert.equal(error.code, "dependency_cycle");
  assert.equal(error.field, "/decisions/1/dependsOn/1");
  assert.match(error.message, /A needs A\./);
});

test("F9: only the cycle is named, not what waits for it", () => {
  const error = refusal([
    { id: "waits", dependsOn: ["c"] },
    { id: "a", dependsOn: ["free", "b"] },
    { id: "b", dependsOn: ["c"] },
    { id: "c", dependsOn: ["a"] },
    { id: "free" },
  ]);
  assert.match(error.message, /: a needs b needs c needs a\./);
  assert.equal(error.field, "/decisions/1/dependsOn/1");
});

test("F9: whatever the dependencies, an order is found or a real cycle is named", () => {
  const anyDecisions = fc
    .integer({ min: 1, max: 12 })
    .chain((count) =>
      fc
        .array(fc.array(fc.nat({ max: count - 1 }), { maxLength: 2 }), { minLength: count, maxLength: count })
        .map((rows) =>
          rows.map((row, index) => ({ id: `d${index}`, dependsOn: row.map((needed) => `d${needed}`) })),
        ),
    );
  fc.assert(
    fc.property(anyDecisions, (decisions) => {
      const hasOrder = naiveOrder(decisions).length === decisions.length;
      if (hasOrder) {
        assert.deepEqual(idsInOrder(decisions), naiveOrder(decisions));
        return;
      }
      const error = refusal(decisions);
      assert.equal(error.code, "dependency_cycle");
      const cycle: unknown = error.details.cycle;
      assert.ok(Array.isArray(cycle) && cycle.length > 0 && new Set(cycle).size === cycle.length);
      for (const [at, id] of cycle.entries()) {
        const next: unknown = cycle[(at + 1) % cycle.length];
        const decision = decisions.find((candidate) => candidate.id === id);
        assert.ok(decision?.dependsOn.includes(String(next)), `${id} does not need ${next}`);
      }
      const [, index, position] = /^\/decisions\/(\d+)\/dependsOn\/(\d+)$/.exec(error.field) ?? [];
      const named = decisions[Number(index)];
      assert.equal(named?.id, cycle[0]);
      assert.equal(named?.dependsOn[Number(position)], cycle[1 % cycle.length]);
    }),
    { numRuns: propertyRuns(300) },
  );
});

test("a long cycle is named by its beginning and its length, without recursion", () => {
  const length = 100_000;
  const decisions = Array.from({ length }, (_, index) => ({
    id: `d${index}`,
    dependsOn: [`d${(index + 1) % length}`],
  }));
  const error = refusal(decisions);
  assert.match(error.message, /d0 needs d1 needs .* needs … \(99980 more\) … needs d0\./);
  assert.equal(error.details.cycleLength, length);
});

test("unknown dependencies and ids that stand twice are refused by name and place", () => {
  const unknown = refusal([{ id: "a" }, { id: "b", dependsOn: ["a", "z"] }]);
  assert.equal(unknown.code, "unknown_dependency");
  assert.equal(unknown.field, "/decisions/1/dependsOn/1");
  assert.match(unknown.message, /'b' depends on 'z'/);
  const twice = refusal([{ id: "a" }, { id: "b" }, { id: "a" }]);
  assert.equal(twice.code, "duplicate_decision");
  assert.equal(twice.field, "/decisions/2/id");
  assert.match(twice.message, /'a'.*\/decisions\/0/);
});

test("a dependency that is named twice counts once", () => {
  assert.deepEqual(idsInOrder([{ id: "a", dependsOn: ["b", "b"] }, { id: "b" }]), ["b", "a"]);
});

test("a hundred thousand decisions in reverse and in a star are ordered", () => {
  const length = 100_000;
  const chain = Array.from({ length }, (_, index) => ({
    id: `d${index}`,
    dependsOn: index + 1 < length ? [`d${index + 1}`] : [],
  }));
  assert.equal(planOrder(chain)[0], length - 1);
  const star = chain.map(({ id }, index) => ({ id, dependsOn: index === 0 ? [] : ["d0"] }));
  assert.deepEqual(planOrder(star).slice(0, 3), [0, 1, 2]);
});
