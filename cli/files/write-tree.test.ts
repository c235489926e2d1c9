import assert from "node:assert/strict";
import { lstat, readdir, readFile, readlink } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";
import { UsageError } from "../usage-error.ts";
import { scratch } from "./scratch.testkit.ts";
import { isVacant, type WrittenFile, writeTree } from "./write-tree.ts";

const file = (path: string, text: string, mode: WrittenFile["mode"] = "100644"): WrittenFile => ({
  path,
  mode,
  read: async () => Buffer.from(text),
});

test("files, modes and links are written, with the directories above them", async () => {
  await using dir = await scratch();
  const out = join(dir.path, "new/out");
  assert.equal(await isVacant(out), true);
  const files = [
    file("a/b/c.txt", "c\r\n"),
    file("run", "#!", "100755"),
    file("a/link", "b/c.txt", "120000"),
  ];
  await writeTree(out, { files, overwrite: false });
  assert.equal(await readFile(join(out, "a/b/c.txt"), "utf8"), "c\r\n");
  assert.notEqual((await lstat(join(out, "run"))).mode & 0o100, 0);
  assert.equal((await lstat(join(out, "a/b/c.txt"))).mode & 0o111, 0);
  assert.equal(await readlink(join(out, "a/link")), "b/c.txt");
  assert.equal(await isVacant(out), false);
});

test("no path leaves the directory", async () => {
  await using dir = await scratch();
  const out = join(dir.path, "out");
  for (const path of ["../evil", "/etc/evil", "a/../../evil", ".git/hooks/x", "a\\b"]) {
    await assert.rejects(writeTree(out, { files: [file("good", ""), file(path, "")], overwrite: true }), {
      code: "path_refused",
    });
  }
  assert.deepEqual(await readdir(dir.path), ["out"]);
  assert.deepEqual(await readdir(out), [], "nothing is written before all paths are known to be good");
});

test("nothing is written through a link, whether it stood there or came along", async () => {
  await using dir = await scratch();
  await dir.put({ "outside/victim": "untouched", "out/x": "" });
  await dir.link("out/d", "../outside");
  const out = join(dir.path, "out");
  await assert.rejects(
    writeTree(out, { files: [file("d/victim", "evil")], overwrite: true }),
    /"d" in .* is a symbolic link/,
  );
  assert.equal(await readFile(join(dir.path, "outside/victim"), "utf8"), "untouched");

  const both = [file("e", "../outside", "120000"), file("e/victim", "evil")];
  await assert.rejects(writeTree(out, { files: both, overwrite: true }), UsageError);
  assert.equal(await readFile(join(dir.path, "outside/victim"), "utf8"), "untouched");

  await dir.link("out/f", "../outside/victim");
  await writeTree(out, { files: [file("f", "new")], overwrite: true });
  assert.equal(await readFile(join(dir.path, "outside/victim"), "utf8"), "untouched", "the link is replaced");
  assert.equal((await lstat(join(out, "f"))).isFile(), true);
});

test("what stands there is overwritten only when asked, and a failed read leaves no trace", async () => {
  await using dir = await scratch();
  await dir.put({ a: "old", "d/x": "" });
  await assert.rejects(
    writeTree(dir.path, { files: [file("a", "new")], overwrite: false }),
    /"a" in .* --force/,
  );
  await assert.rejects(writeTree(dir.path, { files: [file("d", "new")], overwrite: true }), /is a directory/);
  const broken: WrittenFile = { path: "b", mode: "100644", read: () => Promise.reject(new Error("lost")) };
  await assert.rejects(writeTree(dir.path, { files: [broken], overwrite: true }), /lost/);
  assert.equal(await readFile(join(dir.path, "a"), "utf8"), "old");
  assert.deepEqual((await readdir(dir.path)).sort(), ["a", "d"]);
});
