import assert from "node:assert/strict";
import { test } from "node:test";
import { linkTargetRefusal } from "./link-target.ts";

const foldedToGit = [
  ".git",
  ".GIT/config",
  "d/.Git",
  ".git.",
  ".git ",
  ".git. ./hooks",
  "git~1",
  "GIT~2/x",
  "gi0a1b~1",
  ".git::$INDEX_ALLOCATION",
  ".g\u200cit/config",
  "\u{feff}.git",
  "a/../.git",
];

for (const target of foldedToGit) {
  test(`no link points to ${JSON.stringify(target)}, which some file system takes for .git`, () => {
    assert.notEqual(linkTargetRefusal("a/link", target), undefined);
    assert.notEqual(linkTargetRefusal("a/link", `../${target}`), undefined);
  });
}

test("a link may point to names that only look like .git", () => {
  for (const target of [".gitignore", "../.github/x", "git", "dot.git", ".git1", "git~", "./d/ .git"]) {
    assert.equal(linkTargetRefusal("a/link", target), undefined, target);
  }
});
