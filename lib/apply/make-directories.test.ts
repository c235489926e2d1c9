import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { mkdtemp, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { makeDirectories } from "./make-directories.ts";
import { nodeDirectoryFiles } from "./node-directory-files.ts";

let root = "";
before(async () => {
  root = await mkdtemp(join(tmpdir(), "make-directories-"));
});
after(() => rm(root, { recursive: true, force: true }));

test("directories are made with those above them, by several at once too, and what stands stays", async () => {
  const path = join(root, "a/b/c");
  await Promise.all([makeDirectories(path), makeDirectories(path), makeDirectories(join(root, "a/b/d"))]);
  await makeDirectories(path);
  for (const name of ["a/b/c", "a/b/d"]) assert.ok((await stat(join(root, name))).isDirectory());
});

test("a file on the way, or a directory that takes none, is said, and ends it", async () => {
  await writeFile(join(root, "file"), "");
  await assert.rejects(makeDirectories(join(root, "file/x/y")), {
    code: "path_refused",
    message: /file\/x\/y cannot be made \(.*file is not a directory\)/,
  });
});

test("below /proc, where mkdir never ends, it ends", { skip: !existsSync("/proc/self") }, async () => {
  await assert.rejects(makeDirectories("/proc/x/y"), {
    code: "path_refused",
    message: /\/proc\/x\/y cannot be made/,
  });
  await assert.rejects(nodeDirectoryFiles().makeDirectory("/proc/x"), { code: "path_refused" });
});

test("a directory in the place of a file is told as that, whether the file is to be written or removed", async () => {
  const path = join(root, "place");
  await makeDirectories(path);
  const files = nodeDirectoryFiles();
  const told = {
    code: "not_a_file",
    message: /place is a directory, and a file is to stand there; move it away/,
  };
  await assert.rejects(files.removeFile(path), told);
  await assert.rejects(files.writeFile(path, Buffer.from("x"), { executable: false }), told);
});

test("a full disk names the file that does not fit", { skip: !existsSync("/dev/full") }, async () => {
  const full = nodeDirectoryFiles().writeFile("/dev/full", Buffer.from("x"), { executable: false });
  await assert.rejects(full, { code: "ENOSPC", message: /ENOSPC.*'\/dev\/full'/ });
});
