import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { propertyRuns } from "../tree/property-runs.testkit.ts";
import { compareVersions } from "./compare-versions.ts";

const older: readonly (readonly [string, string])[] = [
  ["1.9", "1.10"],
  ["9", "10"],
  ["1.0.9", "1.0.10"],
  ["1.2", "1.2.1"],
  ["1.0-rc.9", "1.0-rc.10"],
  ["1.0.0-alpha", "1.0.0-alpha.1"],
  ["1.0.0-rc.1", "1.0.0"],
  ["2025-12-31", "2026-01-05"],
  ["v1.9", "1.10"],
  ["99999999999999999998", "99999999999999999999"],
  ["1.0.0", "1.0.1-rc.1"],
];

for (const [one, other] of older) {
  test(`F19: version ${one} is older than ${other}`, () => {
    assert.equal(compareVersions(one, other), -1);
    assert.equal(compareVersions(other, one), 1);
  });
}

for (const [one, other] of [
  ["1", "1.0.0"],
  ["v2.1", "2.1"],
  ["1.0+build.5", "1.0+build.7"],
  ["01.2", "1.2"],
] as const) {
  test(`F19: versions ${one} and ${other} are equal`, () => {
    assert.equal(compareVersions(one, other), 0);
  });
}

test("F19: versions are in a total order, of any text", () => {
  const piece = fc.constantFrom("0", "1", "9", "10", "009", ".", "-", "+", "rc", "v", "a", " ", "é", "");
  const version = fc.oneof(
    fc.array(piece, { maxLength: 6 }).map((pieces) => pieces.join("")),
    fc.string({ maxLength: 6 }),
  );
  fc.assert(
    fc.property(version, version, version, (a, b, c) => {
      assert.equal(compareVersions(a, a), 0);
      assert.equal(compareVersions(a, b) + compareVersions(b, a), 0);
      const [first, second, third] = [a, b, c].sort(compareVersions);
      assert.ok(first !== undefined && second !== undefined && third !== undefined);
      assert.ok(compareVersions(first, second) <= 0 && compareVersions(second, third) <= 0);
      assert.ok(compareVersions(first, third) <= 0);
      if (compareVersions(a, b) === 0) {
        assert.equal(compareVersions(a, c), compareVersions(b, c));
      }
    }),
    { numRuns: propertyRuns(300) * 3 },
  );
});
