import assert from "node:assert/strict";
import { readdir } from "node:fs/promises";
import { test } from "node:test";
import { UsageError } from "../usage-error.ts";
import { commitToBranch } from "./git-branch.ts";
import { scratch } from "./scratch.testkit.ts";
import type { WrittenFile } from "./write-tree.ts";

const file = (
  path: string,
  bytes: string | Uint8Array,
  mode: WrittenFile["mode"] = "100644",
): WrittenFile => ({
  path,
  mode,
  read: async () => Buffer.from(bytes),
});

test("a branch gets one commit with exactly the files, and the work tree stays as it is", async () => {
  await using dir = await scratch();
  dir.git("init", "-q", "-b", "main");
  await dir.put({ old: "1" });
  dir.git("add", ".");
  dir.git("commit", "-qm", "first");
  await dir.put({ dirty: "not committed" });
  const before = dir.git("status", "--porcelain");
  const files = [
    file('odd "name"\n\\ü', "x"),
    file("bin", Uint8Array.of(0, 255, 10)),
    file("run", "#!", "100755"),
    file("d/link", "../run", "120000"),
  ];
  const made = await commitToBranch(dir.path, {
    branch: "export/one",
    message: "Export\n",
    files,
    overwrite: false,
  });
  assert.equal(dir.git("rev-parse", "export/one").trim(), made.commit);
  assert.equal(dir.git("rev-parse", "export/one^").trim(), dir.git("rev-parse", "main").trim());
  assert.equal(dir.git("status", "--porcelain"), before);
  assert.deepEqual((await readdir(dir.path)).sort(), [".git", "dirty", "old"]);
  const listed = dir.git("ls-tree", "-r", "-z", "export/one").split("\0").filter(Boolean);
  assert.deepEqual(
    listed.map((line) => [line.slice(0, 6), line.slice(line.indexOf("\t") + 1)]),
    [
      ["100644", "bin"],
      ["120000", "d/link"],
      ["100644", 'odd "name"\n\\ü'],
      ["100755", "run"],
    ],
  );
});

test("an empty repository, a branch that exists, one that is checked out, a bad name", async () => {
  await using dir = await scratch();
  const options = { branch: "b", message: "m", files: [file("f", "1")], overwrite: false };
  await assert.rejects(commitToBranch(dir.path, options), /in no git repository/);
  dir.git("init", "-q", "-b", "main");
  const first = await commitToBranch(dir.path, options);
  await assert.rejects(
    commitToBranch(dir.path, options),
    (error) => error instanceof UsageError && /--force/.test(error.message),
  );
  const moved = await commitToBranch(dir.path, { ...options, files: [file("f", "2")], overwrite: true });
  assert.notEqual(moved.tree, first.tree);
  await assert.rejects(commitToBranch(dir.path, { ...options, branch: "a..b" }), /not a valid name/);
  dir.git("checkout", "-q", "b");
  await assert.rejects(commitToBranch(dir.path, { ...options, overwrite: true }), /is checked out/);
});
