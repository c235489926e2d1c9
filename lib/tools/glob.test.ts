import assert from "node:assert/strict";
import { describe, it } from "node:test";
import fc from "fast-check";
import { glob } from "./glob.ts";

const matches = (pattern: string, path: string): boolean => glob(pattern, "/pattern")(path).matches;

describe("glob", () => {
  const cases: readonly (readonly [pattern: string, path: string, matches: boolean])[] = [
    ["*.ts", "a.ts", true],
    ["*.ts", ".a.ts", true],
    ["*.ts", "a/b.ts", false],
    ["*", "a", true],
    ["*", "a/b", false],
    ["**", "a/b/c", true],
    ["**/*.ts", "a.ts", true],
    ["**/*.ts", "a/.b/c.ts", true],
    ["**/*.ts", "a/.b/c.js", false],
    ["src/**", "src/a/b", true],
    ["src/**", "srca", false],
    ["src/**/x", "src/x", true],
    ["src/**/x", "src/a/b/x", true],
    ["src/**/x", "srcx", false],
    ["**/node_modules/**", "a/node_modules/b/c", true],
    ["a**b", "a1b", true],
    ["a**b", "a/b", false],
    ["?", "é", true],
    ["?", "\u{1f600}", true],
    ["?", "/", false],
    ["[a-c]x", "bx", true],
    ["[!a-c]x", "bx", false],
    ["[^a-c]x", "dx", true],
    ["[!a]", "/", false],
    ["[]]", "]", true],
    ["*.{ts,js}", "a.js", true],
    ["*.{ts,js}", "a.css", false],
    ["{a,b/{c,d}}/e", "b/d/e", true],
    ["{a,}b", "b", true],
    ["{**/x,y}", "a/b/x", true],
    ["\\*", "*", true],
    ["\\*", "a", false],
    ["a b'\"", "a b'\"", true],
    ["(a|b)+", "(a|b)+", true],
  ];
  for (const [pattern, path, expected] of cases) {
    it(`${JSON.stringify(pattern)} ${expected ? "matches" : "does not match"} ${JSON.stringify(path)}`, () => {
      assert.equal(matches(pattern, path), expected);
    });
  }

  for (const pattern of ["", "[a", "{a,b", "a\\", "x".repeat(1025)]) {
    it(`refuses ${JSON.stringify(pattern.slice(0, 10))} and says what is allowed`, () => {
      assert.throws(() => glob(pattern, "/pattern"), { code: "input_invalid", message: /Allowed/ });
    });
  }

  it("takes patterns that keep a backtracking matcher busy for hours", () => {
    const path = `${"a".repeat(255)}/${"a".repeat(255)}`;
    for (const pattern of [
      `${"*a".repeat(400)}b`,
      `${"**/".repeat(300)}b`,
      `${"{a,*a,?}".repeat(100)}b`,
      `${"{".repeat(100)}a*${"}".repeat(100)}b`,
    ]) {
      assert.equal(matches(pattern, path), false);
    }
  });

  it("matches every escaped path with itself", () => {
    fc.assert(
      fc.property(fc.string({ unit: "grapheme", minLength: 1, maxLength: 50 }), (path) => {
        assert.ok(matches(path.replace(/[\\*?[\]{},!^-]/gu, "\\$&"), path));
      }),
    );
  });
});
