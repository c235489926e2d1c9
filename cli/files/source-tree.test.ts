import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { rm, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";
import { UsageError } from "../usage-error.ts";
import { gitEnvironment, scratch } from "./scratch.testkit.ts";
import { sourceTree } from "./source-tree.ts";
import { unignoredPaths } from "./unignored-paths.ts";

const pathsOf = async (directory: string) => (await sourceTree(directory)).files.map(({ path }) => path);

test("in a git work tree: tracked files and untracked ones not ignored, deleted ones left out", async () => {
  await using dir = await scratch();
  dir.git("init", "-q");
  await dir.put({
    ".gitignore": "*.log\nbuild/\n",
    "kept.log": "tracked although ignored",
    "gone.txt": "deleted",
    "src/a b 'ü'.ts": "a",
  });
  dir.git("add", "-f", ".");
  dir.git("commit", "-qm", "x");
  await rm(join(dir.path, "gone.txt"));
  await dir.put({
    "new.txt": "untracked",
    "x.log": "ignored",
    "build/out": "ignored",
    ".planledger/dev.json": "{}",
  });
  assert.deepEqual(await pathsOf(dir.path), [".gitignore", "kept.log", "new.txt", "src/a b 'ü'.ts"]);
  assert.deepEqual(await pathsOf(join(dir.path, "src")), ["a b 'ü'.ts"]);
});

test("modes and links are those on disk, and a link's bytes are its target", async () => {
  await using dir = await scratch();
  await dir.put({ run: "#!/bin/sh\n", plain: "x" });
  await dir.executable("run");
  await dir.link("sub/link", "../run");
  const { files } = await sourceTree(dir.path);
  assert.deepEqual(
    files.map(({ path, mode }) => [path, mode]),
    [
      ["plain", "100644"],
      ["run", "100755"],
      ["sub/link", "120000"],
    ],
  );
  assert.equal(Buffer.from((await files[2]?.read()) ?? "").toString(), "../run");
});

test("a tracked directory that became a link counts as the link alone", async () => {
  await using dir = await scratch();
  dir.git("init", "-q");
  await dir.put({ "d/x": "1", "other/x": "2" });
  dir.git("add", ".");
  await rm(join(dir.path, "d"), { recursive: true });
  await symlink("other", join(dir.path, "d"));
  assert.deepEqual(await pathsOf(dir.path), ["d", "other/x"]);
});

test("a submodule and a repository inside are refused by name", async () => {
  await using dir = await scratch();
  await using inner = await scratch();
  inner.git("init", "-q");
  await inner.put({ f: "1" });
  inner.git("add", ".");
  inner.git("commit", "-qm", "x");
  dir.git("init", "-q");
  const head = inner.git("rev-parse", "HEAD").trim();
  dir.git("update-index", "--add", "--cacheinfo", `160000,${head},vendor/lib`);
  await assert.rejects(sourceTree(dir.path), (error) => {
    assert.ok(error instanceof UsageError);
    assert.match(error.message, /"vendor\/lib" is a git submodule/);
    return true;
  });
  dir.git("rm", "-q", "--cached", "vendor/lib");
  dir.git("clone", "-q", inner.path, "nested");
  await assert.rejects(sourceTree(dir.path), /"nested\/" is a git repository of its own/);
  await rm(join(dir.path, ".git"), { recursive: true });
  await assert.rejects(sourceTree(dir.path), /"nested\/" is a git repository of its own/);
});

test("without git, .gitignore files hold as git holds them, nested ones too", async () => {
  await using dir = await scratch();
  await dir.put({
    ".gitignore": "*.log\n/build/\n!keep.log\nCaSe\n# comment\n\\#hash\ntmp/**/x\n",
    "a.log": "",
    "keep.log": "",
    "build/out": "",
    "src/build/in": "",
    "src/.gitignore": "!a.log\n*.tmp\n/only-here\n",
    "src/a.log": "",
    "src/b.log": "",
    "src/c.tmp": "",
    "src/only-here": "",
    "src/deep/only-here": "",
    "src/deep/.gitignore": "*\n!.gitignore\n!kept\n",
    "src/deep/kept": "",
    "src/deep/lost": "",
    case: "",
    CaSe: "",
    "#hash": "",
    "tmp/a/b/x": "",
    "tmp/y": "",
    "out/.gitignore": "!*",
    "ignored-dir/.gitignore": "*\n",
    "ignored-dir/f": "",
    " lead": "",
    "ü/日本.txt": "",
  });
  const found = [...(await unignoredPaths(dir.path))].sort();
  dir.git("init", "-q");
  const byGit = execFileSync("git", ["-C", dir.path, "ls-files", "-o", "--exclude-standard", "-z"], {
    encoding: "utf8",
    env: gitEnvironment(),
  });
  assert.deepEqual(found, byGit.split("\0").filter(Boolean).sort());
  assert.ok(found.includes("src/a.log") && !found.includes("src/b.log"));
});

test("what is neither file nor link is left out and told; what is no directory is refused", async () => {
  await using dir = await scratch();
  await dir.put({ f: "1" });
  execFileSync("mkfifo", [join(dir.path, "pipe")]);
  const { files, leftOut } = await sourceTree(dir.path);
  assert.deepEqual([files.map(({ path }) => path), leftOut], [["f"], ["pipe"]]);
  await assert.rejects(sourceTree(join(dir.path, "f")), UsageError);
  await assert.rejects(sourceTree(join(dir.path, "absent")), UsageError);
});

test("a name that is not UTF-8 is refused, inside git and outside", async () => {
  await using dir = await scratch();
  await writeFile(Buffer.concat([Buffer.from(`${dir.path}/`), Buffer.from([0x66, 0xff])]), "x");
  await assert.rejects(sourceTree(dir.path), /"fÿ" \(as Latin-1\) is not UTF-8/);
  dir.git("init", "-q");
  await assert.rejects(sourceTree(dir.path), /is not UTF-8/);
});
