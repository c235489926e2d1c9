import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { ValidationError } from "../errors/planledger-error.ts";
import { checkName, checkPath, type PathRefusal, pathRefusal } from "./path-rules.ts";

const refusals: readonly (readonly [PathRefusal, ...string[]])[] = [
  ["empty", ""],
  ["absolute", "/", "/etc/passwd", "//server/share"],
  ["nul", "\0", "a\0b", "a/b\0"],
  ["ill_formed", "\ud800", "a/\udc00b", "\udc00\ud800"],
  ["backslash", "a\\b", "\\", "..\\x", "C:\\x"],
  ["empty_segment", "a//b", "a/", "a/b//"],
  ["dot_segment", ".", "..", "./a", "a/.", "a/../b", "a/..", ".. ", "a/. /b"],
  ["drive_letter", "C:", "c:/x", "C:x", "a/Z:b"],
  [
    "git_directory",
    ".git",
    ".GIT",
    ".Git/config",
    "a/.git",
    "a/.gIt/hooks/pre-commit",
    ".git ",
    ".git.",
    ".git . .",
    ".git:stream",
    ".git::$INDEX_ALLOCATION/config",
    ".git ::$INDEX_ALLOCATION",
    "git~1",
    "GIT~1",
    "git~1.",
    "a/GIT~2/config",
    "gi7eba~1",
    ".g\u200cit",
    "\u200d.git",
    ".git\ufeff",
    ".\u202egit",
    ".g\u00adit",
    ".git\ufe0f",
    "gi\u206ft~1",
  ],
  ["path_too_long", `${"abc/".repeat(256)}d`, "é/".repeat(400)],
  ["name_too_long", "x".repeat(256), `a/${"é".repeat(128)}`],
];

describe("checkPath", () => {
  for (const [reason, ...paths] of refusals) {
    it(`refuses ${reason} paths with path_refused and that reason`, () => {
      for (const path of paths) {
        assert.throws(
          () => checkPath(path, "input/path"),
          (error) => {
            assert.ok(error instanceof ValidationError);
            assert.equal(error.code, "path_refused");
            assert.equal(error.field, "input/path");
            assert.equal(error.details.reason, reason, JSON.stringify(path));
            return true;
          },
        );
      }
    });
  }

  it("accepts what git and every file system hold", () => {
    const paths = [
      "a",
      "src/a b.ts",
      'quo"te',
      "'",
      "tab\there",
      "line\nbreak",
      "x b/y b/z",
      " lead",
      "trail ",
      "日本/é/e\u0301/\u{1d4b3}",
      ".gitignore",
      ".github/workflows/ci.yml",
      ".gitmodules",
      "git",
      "git~",
      "git~x",
      "agit~1",
      "my.git",
      "x.git/config",
      "...",
      "..a",
      "a..",
      ".a",
      "ab:c",
      "-rf",
      "x".repeat(255),
      `${"abc/".repeat(255)}abcd`,
    ];
    for (const path of paths) assert.equal(pathRefusal(path), undefined, JSON.stringify(path));
  });
});

describe("checkName", () => {
  it("refuses a name of two segments, and all that a path refuses", () => {
    for (const name of ["a/b", "/", "", "..", ".git", "a\\b"]) {
      assert.throws(() => checkName(name), ValidationError, JSON.stringify(name));
    }
    assert.doesNotThrow(() => checkName("a b"));
  });
});
