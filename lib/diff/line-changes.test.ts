import assert from "node:assert/strict";
import { describe, it } from "node:test";
import fc from "fast-check";
import { lineScript } from "../merge/line-script.ts";
import { propertyRuns } from "../tree/property-runs.testkit.ts";
import { lineChanges } from "./line-changes.ts";

/** The lines after, rebuilt from the lines before; also asserts that changes are in order and do not touch. */
const applied = (before: readonly string[], after: readonly string[]): readonly string[] => {
  const result: string[] = [];
  let at = 0;
  for (const [index, change] of lineChanges(before, after).entries()) {
    assert.ok(index === 0 || change.beforeFrom > at, "an unchanged line stands between two changes");
    result.push(...before.slice(at, change.beforeFrom));
    assert.equal(change.afterFrom, result.length);
    result.push(...after.slice(change.afterFrom, change.afterTo));
    assert.ok(change.beforeTo > change.beforeFrom || change.afterTo > change.afterFrom);
    at = change.beforeTo;
  }
  return [...result, ...before.slice(at)];
};

describe("lineChanges", () => {
  it("turns any list of lines into any other", () => {
    const lines = fc.array(fc.constantFrom("a", "b", "c", "\n", "}\n"), { maxLength: 40 });
    fc.assert(
      fc.property(lines, lines, (before, after) => {
        assert.deepEqual(applied(before, after), after);
      }),
      { numRuns: propertyRuns(500) },
    );
  });

  it("stays right where the search is too expensive and unique lines divide the work", () => {
    const manyLines = (alphabet: number) =>
      fc.array(fc.nat({ max: alphabet }).map(String), { minLength: 600, maxLength: 1500, size: "max" });
    const lists = fc.constantFrom(2, 40, 1000).chain((alphabet) => {
      return fc.tuple(manyLines(alphabet), manyLines(alphabet));
    });
    fc.assert(
      fc.property(lists, ([before, after]) => {
        assert.deepEqual(applied(before, after), after);
      }),
      { numRuns: Math.min(propertyRuns(30), 500) },
    );
  });

  it("keeps lines that both have once, however much changes between them", () => {
    const anchors = Array.from({ length: 50 }, (_, index) => `anchor ${index}`);
    const filler = fc.array(fc.nat({ max: 300 }).map(String), { minLength: 60, maxLength: 60, size: "max" });
    const side = (seed: number): readonly string[] =>
      fc
        .sample(filler, { seed, numRuns: anchors.length })
        .flatMap((lines, index) => [`anchor ${index}`, ...lines]);
    const [before, after] = [side(3), side(5)];
    assert.equal(lineScript(before, after), undefined, "the search alone gives up here");
    const kept = new Set(before);
    for (const { beforeFrom, beforeTo } of lineChanges(before, after)) {
      for (const line of before.slice(beforeFrom, beforeTo)) kept.delete(line);
    }
    for (const anchor of anchors) assert.ok(kept.has(anchor), anchor);
  });
});
