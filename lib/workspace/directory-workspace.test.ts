import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import {
  chmod,
  lstat,
  mkdir,
  mkdtemp,
  readdir,
  readFile,
  readlink,
  rm,
  stat,
  symlink,
  utimes,
  writeFile,
} from "node:fs/promises";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, it } from "node:test";
import { memoryContentStore } from "../content/memory-content-store.ts";
import { writeFileTree } from "../tree/file-tree.testkit.ts";
import { directoryWorkspace } from "./directory-workspace.ts";
import { diskIndex } from "./disk-index.ts";
import { workspaceContract } from "./workspace.contract.ts";

const file = (text: string) => ({ kind: "file", mode: "100644", bytes: Buffer.from(text) }) as const;

const inDirectory = async (body: (root: string) => Promise<void>): Promise<void> => {
  const root = await mkdtemp(join(tmpdir(), "planledger-directory-"));
  try {
    await body(root);
  } finally {
    await rm(root, { recursive: true, force: true });
  }
};

workspaceContract("directory", async (files) => {
  const root = await mkdtemp(join(tmpdir(), "planledger-directory-"));
  await writeFileTree(root, files);
  return {
    workspace: directoryWorkspace({ root }),
    close: () => rm(root, { recursive: true, force: true }),
  };
});

describe("directoryWorkspace", () => {
  const test = (title: string, body: (root: string) => Promise<void>): void => {
    it(title, () => inDirectory(body));
  };

  test("sees what was done to the directory by any means, and puts it back", async (root) => {
    await writeFile(join(root, "kept"), "before");
    await writeFile(join(root, "gone"), "bytes");
    await mkdir(join(root, "dir"));
    await writeFile(join(root, "dir", "secret"), "s", { mode: 0o600 });
    await writeFile(join(root, "dir", "private"), "p", { mode: 0o600 });
    const workspace = directoryWorkspace({ root });
    const first = await workspace.snapshot();
    await writeFile(join(root, "kept"), "after!");
    await rm(join(root, "gone"));
    await chmod(join(root, "dir", "secret"), 0o711);
    await chmod(join(root, "dir", "private"), 0o666);
    await symlink("/etc/passwd", join(root, "link"));
    await mkdir(join(root, "new", "er"), { recursive: true });
    await writeFile(join(root, "new", "er", "file"), "n");
    const changes = await (await workspace.snapshot()).changesSince(first);
    assert.deepEqual(
      changes.map(({ path, before: from, after: to }) => [path, from?.mode, to?.mode]),
      [
        ["dir/secret", "100644", "100755"],
        ["gone", "100644", undefined],
        ["kept", "100644", "100644"],
        ["link", undefined, "120000"],
        ["new/er/file", undefined, "100644"],
      ],
    );
    for (const { before: from } of changes)
      if (from !== undefined) assert.ok(await first.content(from.sha256));
    await first.restore();
    assert.deepEqual((await readdir(root)).sort(), ["dir", "gone", "kept"]);
    assert.equal(await readFile(join(root, "kept"), "utf8"), "before");
    assert.equal(await readFile(join(root, "gone"), "utf8"), "bytes");
    assert.equal((await stat(join(root, "dir", "secret"))).mode & 0o777, 0o600);
    assert.equal((await stat(join(root, "dir", "private"))).mode & 0o777, 0o600);
  });

  test("sees a change of the same size, in the same tick, under a forged mtime", async (root) => {
    const path = join(root, "f");
    await writeFile(path, "aaaa");
    const workspace = directoryWorkspace({ root });
    const { mtime, atime } = await stat(path);
    for (let round = 0; round < 50; round += 1) {
      const before = await workspace.snapshot();
      await writeFile(path, round % 2 === 0 ? "bbbb" : "aaaa");
      await utimes(path, atime, mtime);
      assert.equal((await (await workspace.snapshot()).changesSince(before)).length, 1, `round ${round}`);
    }
  });

  test("reads a file again only when it may have changed unseen", async (root) => {
    for (let index = 0; index < 20; index += 1) await writeFile(join(root, `f${index}`), `text ${index}`);
    const index = diskIndex(root, memoryContentStore());
    await index.scan();
    assert.equal(index.reads(), 20);
    // Whatever is newest could change again within this tick; something newer settles it.
    let ticked = await stat(join(root, "f19"), { bigint: true });
    const oldest = ticked.ctimeNs;
    while (ticked.ctimeNs === oldest) {
      await writeFile(join(root, "f0"), "changed");
      ticked = await stat(join(root, "f0"), { bigint: true });
    }
    await index.scan();
    const settled = index.reads();
    await index.scan();
    assert.equal(index.reads() - settled, 1, "of 20 files only the newest");
  });

  test("writes nothing through a link that took a directory's place", async (root) => {
    await inDirectory(async (outside) => {
      await symlink(outside, join(root, "out"));
      const workspace = directoryWorkspace({ root });
      for (const value of [file("x"), { kind: "directory" } as const]) {
        await assert.rejects(workspace.write("out/f", value), { code: "symlink_refused" });
      }
      await writeFile(join(outside, "victim"), "v");
      await workspace.write("out/victim", undefined);
      assert.equal(await workspace.lookup("out/victim"), undefined);
      await workspace.write("out", undefined);
      assert.deepEqual(await readdir(outside), ["victim"]);
    });
  });

  test("a write onto a link replaces the link, not what it points to", async (root) => {
    await writeFile(join(root, "target"), "t");
    await symlink("target", join(root, "link"));
    await directoryWorkspace({ root }).write("link", file("new"));
    assert.equal(await readFile(join(root, "target"), "utf8"), "t");
    assert.ok((await lstat(join(root, "link"))).isFile());
  });

  test("a restore follows no link that took a directory's place", async (root) => {
    await inDirectory(async (outside) => {
      await mkdir(join(root, "d"));
      await writeFile(join(root, "d", "f"), "mine");
      const workspace = directoryWorkspace({ root });
      const before = await workspace.snapshot();
      await rm(join(root, "d"), { recursive: true });
      await writeFile(join(outside, "f"), "theirs");
      await symlink(outside, join(root, "d"));
      await before.restore();
      assert.equal(await readFile(join(outside, "f"), "utf8"), "theirs");
      assert.equal(await readFile(join(root, "d", "f"), "utf8"), "mine");
      assert.ok((await lstat(join(root, "d"))).isDirectory());
    });
  });

  test("leaves .git out and alone, at any depth", async (root) => {
    for (const git of [join(root, ".git"), join(root, "sub", ".git")]) {
      await mkdir(git, { recursive: true });
      await writeFile(join(git, "HEAD"), "ref");
    }
    const workspace = directoryWorkspace({ root });
    const before = await workspace.snapshot();
    await writeFile(join(root, ".git", "HEAD"), "changed");
    assert.deepEqual(await (await workspace.snapshot()).changesSince(before), []);
    assert.deepEqual(
      (await workspace.list("")).map(({ name }) => name),
      ["sub"],
    );
    await before.restore();
    assert.equal(await readFile(join(root, ".git", "HEAD"), "utf8"), "changed");
  });

  test("leaves directories that were empty at first, and removes those made or emptied since", async (root) => {
    await mkdir(join(root, "empty", "inner"), { recursive: true });
    await mkdir(join(root, "full"));
    await writeFile(join(root, "full", "f"), "");
    const workspace = directoryWorkspace({ root });
    await workspace.write("full/f", undefined);
    await workspace.write("made/one", { kind: "directory" });
    await mkdir(join(root, "made", "two"));
    await workspace.settle();
    assert.deepEqual(await readdir(root), ["empty"]);
    assert.deepEqual(await readdir(join(root, "empty")), ["inner"]);
  });

  test("refuses what no tree can hold, naming it, and a restore takes it away", async (root) => {
    const workspace = directoryWorkspace({ root });
    const before = await workspace.snapshot();
    execFileSync("mkfifo", [join(root, "pipe")]);
    await assert.rejects(workspace.snapshot(), { code: "not_a_file", message: /"pipe".*neither a file/ });
    await assert.rejects(workspace.lookup("pipe"), { code: "not_a_file" });
    await before.restore();
    const server = createServer();
    await new Promise<void>((resolve) => server.listen(join(root, "socket"), resolve));
    await assert.rejects(workspace.snapshot(), { code: "not_a_file" });
    await before.restore();
    await new Promise((resolve) => server.close(resolve));
    await mkdir(Buffer.concat([Buffer.from(`${root}/`), Buffer.from([0xff, 0x41])]));
    await writeFile(Buffer.concat([Buffer.from(`${root}/`), Buffer.from([0xff, 0x41, 0x2f, 0x42])]), "x");
    await assert.rejects(workspace.snapshot(), { code: "path_refused" });
    await before.restore();
    await writeFile(join(root, ".GIT"), "");
    await assert.rejects(workspace.snapshot(), { code: "path_refused" });
    await before.restore();
    await writeFile(join(root, "large"), Buffer.alloc(16 * 1024 * 1024 + 1));
    await assert.rejects(workspace.snapshot(), { code: "file_too_large" });
    await before.restore();
    assert.deepEqual(await readdir(root), []);
  });

  test("a restore brings back the directory itself", async (root) => {
    await writeFile(join(root, "f"), "x");
    await symlink("f", join(root, "l"));
    const workspace = directoryWorkspace({ root });
    const before = await workspace.snapshot();
    await rm(root, { recursive: true });
    assert.equal((await (await workspace.snapshot()).changesSince(before)).length, 2);
    await before.restore();
    assert.equal(await readFile(join(root, "f"), "utf8"), "x");
    assert.equal(await readlink(join(root, "l")), "f");
  });

  test("sweeps what a crash in the middle of a write left behind", async (root) => {
    await writeFile(join(root, ".planledger-write-7.tmp"), "half");
    const workspace = directoryWorkspace({ root });
    await workspace.write("a", file("x"));
    assert.deepEqual(await workspace.list(""), [{ name: "a", kind: "file" }]);
  });

  test("keeps a file's own permission bits when its content changes", async (root) => {
    await writeFile(join(root, "f"), "x", { mode: 0o600 });
    const workspace = directoryWorkspace({ root });
    await workspace.write("f", file("y"));
    assert.equal((await stat(join(root, "f"))).mode & 0o777, 0o600);
    await workspace.write("f", { ...file("y"), mode: "100755" });
    assert.equal((await stat(join(root, "f"))).mode & 0o777, 0o755);
  });

  it("says when the directory is not there", async () => {
    const workspace = directoryWorkspace({ root: join(tmpdir(), "planledger-none", "at-all") });
    await assert.rejects(workspace.snapshot(), { code: "validation_failed", message: /does not exist/ });
  });
});
