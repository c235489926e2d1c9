import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { contentState } from "../content/content-state.ts";
import type { FileTree, TestFile } from "../tree/file-tree.testkit.ts";
import type { Workspace } from "./workspace.ts";

/** A workspace that holds these files, and how to put it away. */
export type OpenWorkspace = (
  files: FileTree,
) => Promise<{ readonly workspace: Workspace; close(): Promise<void> }>;

const file = (text: string, mode: "100644" | "100755" = "100644") => ({
  kind: "file" as const,
  mode,
  bytes: Buffer.from(text),
});
const link = (target: string) => ({
  kind: "file" as const,
  mode: "120000" as const,
  bytes: Buffer.from(target),
});

const base: FileTree = new Map<string, TestFile>([
  ["a.txt", file("a\r\n")],
  ["bin/run", file("#!", "100755")],
  ["deep/er/est", file("x")],
  ["link", link("deep/er")],
  ["\ufffd", file("before the next in bytes, behind it in UTF-16")],
  ["\u{1d4b3}", file("")],
]);

/** What every workspace does, whatever it is made of. */
export const workspaceContract = (name: string, open: OpenWorkspace): void => {
  const test = (title: string, body: (workspace: Workspace) => Promise<void>): void => {
    it(title, async () => {
      const { workspace, close } = await open(base);
      try {
        await body(workspace);
      } finally {
        await close();
      }
    });
  };
  const text = async (workspace: Workspace, path: string): Promise<string> =>
    Buffer.from(await workspace.read(path)).toString();

  describe(`${name}: a workspace`, () => {
    test("tells what stands at a path, and never looks through a link", async (workspace) => {
      const { sha256, sizeBytes } = contentState(file("#!").bytes, "100755");
      assert.deepEqual(await workspace.lookup("bin/run"), {
        kind: "file",
        mode: "100755",
        sha256,
        sizeBytes,
      });
      assert.equal((await workspace.lookup("link"))?.kind, "symlink");
      assert.deepEqual(await workspace.lookup("deep"), { kind: "directory" });
      assert.deepEqual(await workspace.lookup(""), { kind: "directory" });
      for (const absent of ["none", "a.txt/x", "link/est", "deep/er/est/x"]) {
        assert.equal(await workspace.lookup(absent), undefined, absent);
      }
    });

    test("lists names in byte order, and nothing behind a link or a file", async (workspace) => {
      assert.deepEqual(await workspace.list(""), [
        { name: "a.txt", kind: "file" },
        { name: "bin", kind: "directory" },
        { name: "deep", kind: "directory" },
        { name: "link", kind: "symlink" },
        { name: "\ufffd", kind: "file" },
        { name: "\u{1d4b3}", kind: "file" },
      ]);
      assert.deepEqual(await workspace.list("deep"), [{ name: "er", kind: "directory" }]);
      for (const none of ["link", "a.txt", "none"]) assert.deepEqual(await workspace.list(none), [], none);
    });

    test("reads bytes, and a link's target; the bytes are the reader's own", async (workspace) => {
      assert.equal(await text(workspace, "a.txt"), "a\r\n");
      assert.equal(await text(workspace, "link"), "deep/er");
      await workspace.write("w", file("mine"));
      (await workspace.read("w")).fill(0);
      assert.equal(await text(workspace, "w"), "mine");
      for (const absent of ["none", "deep", "link/est"]) {
        await assert.rejects(workspace.read(absent), { code: "path_not_found" });
      }
    });

    test("does not keep hold of the bytes that a writer gave", async (workspace) => {
      const bytes = Buffer.from("before");
      await workspace.write("w", { kind: "file", mode: "100644", bytes });
      bytes.fill("x");
      assert.equal(await text(workspace, "w"), "before");
    });

    test("writes files, links and directories, with their parents", async (workspace) => {
      await workspace.write("new/dir/file", file("1", "100755"));
      await workspace.write("new/link", link("../a.txt"));
      await workspace.write("made/empty", { kind: "directory" });
      await workspace.write("a.txt", link("bin"));
      await workspace.write("link", file("no link"));
      assert.equal(await text(workspace, "new/dir/file"), "1");
      assert.equal((await workspace.lookup("a.txt"))?.kind, "symlink");
      assert.equal(await text(workspace, "link"), "no link");
      assert.deepEqual(await workspace.list("made"), [{ name: "empty", kind: "directory" }]);
      assert.equal(await text(workspace, "deep/er/est"), "x");
    });

    test("writes nothing through a link or below a file, and no file over a directory", async (workspace) => {
      const before = await workspace.snapshot();
      await assert.rejects(workspace.write("link/est", file("!")), { code: "symlink_refused" });
      await assert.rejects(workspace.write("link/d", { kind: "directory" }), { code: "symlink_refused" });
      await assert.rejects(workspace.write("a.txt/x", file("!")), { code: "not_a_directory" });
      await assert.rejects(workspace.write("a.txt", { kind: "directory" }), { code: "not_a_directory" });
      await assert.rejects(workspace.write("deep", file("!")), { code: "is_a_directory" });
      await workspace.write("link/est", undefined);
      assert.deepEqual(await (await workspace.snapshot()).changesSince(before), []);
    });

    test("removes a file, a link without its target, and a directory with all it holds", async (workspace) => {
      await workspace.write("link", undefined);
      await workspace.write("deep/new", file("n"));
      await workspace.write("deep", undefined);
      await workspace.write("none/at/all", undefined);
      assert.deepEqual(
        (await workspace.list("")).map(({ name }) => name),
        ["a.txt", "bin", "\ufffd", "\u{1d4b3}"],
      );
      assert.equal(await workspace.lookup("deep/er/est"), undefined);
    });

    test("lets files and directories take each other's places", async (workspace) => {
      const before = await workspace.snapshot();
      await workspace.write("deep", undefined);
      await workspace.write("deep", file("now a file"));
      await workspace.write("a.txt", undefined);
      await workspace.write("a.txt/b", file("now a directory"));
      const changes = await (await workspace.snapshot()).changesSince(before);
      assert.deepEqual(
        changes.map(({ path, before: from, after: to }) => [path, from?.mode, to?.mode]),
        [
          ["a.txt", "100644", undefined],
          ["a.txt/b", undefined, "100644"],
          ["deep", undefined, "100644"],
          ["deep/er/est", "100644", undefined],
        ],
      );
      assert.deepEqual(await workspace.list("deep"), []);
    });

    test("compares snapshots path by path in byte order, and forgets what was undone", async (workspace) => {
      const first = await workspace.snapshot();
      await workspace.write("\u{1d4b3}", file("changed"));
      await workspace.write("\ufffd", undefined);
      await workspace.write("bin/run", file("#!"));
      await workspace.write("temporary", file("t"));
      const second = await workspace.snapshot();
      await workspace.write("temporary", undefined);
      await workspace.write("\u{1d4b3}", file(""));
      const third = await workspace.snapshot();
      const paths = (changes: readonly { readonly path: string }[]) => changes.map(({ path }) => path);
      assert.deepEqual(paths(await second.changesSince(first)), [
        "bin/run",
        "temporary",
        "\ufffd",
        "\u{1d4b3}",
      ]);
      assert.deepEqual(paths(await third.changesSince(first)), ["bin/run", "\ufffd"]);
      assert.deepEqual(await third.changesSince(second), [
        { path: "temporary", before: contentState(Buffer.from("t"), "100644"), after: undefined },
        {
          path: "\u{1d4b3}",
          before: contentState(Buffer.from("changed"), "100644"),
          after: contentState(Buffer.from(""), "100644"),
        },
      ]);
      for (const { before } of await third.changesSince(second)) {
        if (before !== undefined) assert.ok(await third.content(before.sha256));
      }
    });

    test("goes back to a snapshot whole, as often as asked, forwards too", async (workspace) => {
      const first = await workspace.snapshot();
      const treeId = await first.gitTreeId();
      await workspace.write("deep", undefined);
      await workspace.write("deep/other", link("x"));
      await workspace.write("bin/run", file("#!"));
      await workspace.write("made", { kind: "directory" });
      const second = await workspace.snapshot();
      const changes = await second.changesSince(first);
      await first.restore();
      assert.deepEqual(await (await workspace.snapshot()).changesSince(first), []);
      assert.equal(await (await workspace.snapshot()).gitTreeId(), treeId);
      assert.equal(await workspace.lookup("made"), undefined);
      assert.equal(await text(workspace, "deep/er/est"), "x");
      await second.restore();
      assert.deepEqual(await (await workspace.snapshot()).changesSince(first), changes);
      assert.equal((await workspace.lookup("made"))?.kind, "directory");
      await first.restore();
      assert.equal(await (await workspace.snapshot()).gitTreeId(), treeId);
      assert.notEqual(await second.gitTreeId(), treeId);
    });

    test("keeps an emptied or made directory until it is settled, and one with files for good", async (workspace) => {
      await workspace.write("made/empty", { kind: "directory" });
      await workspace.write("made/full/file", file(""));
      await workspace.write("deep/er/est", undefined);
      await workspace.write("deep/er/new", file("x"));
      await workspace.write("deep/er/new", undefined);
      assert.deepEqual(await workspace.list("deep/er"), []);
      assert.deepEqual(await workspace.lookup("deep/er"), { kind: "directory" });
      const before = await workspace.snapshot();
      await workspace.settle();
      assert.equal(await workspace.lookup("deep"), undefined);
      assert.equal(await workspace.lookup("made/empty"), undefined);
      assert.deepEqual(await workspace.list("made"), [{ name: "full", kind: "directory" }]);
      assert.deepEqual(await (await workspace.snapshot()).changesSince(before), []);
    });

    test("has the tree id that git gives an empty tree when nothing is left", async (workspace) => {
      for (const { name } of await workspace.list("")) await workspace.write(name, undefined);
      const snapshot = await workspace.snapshot();
      assert.equal(await snapshot.gitTreeId(), "4b825dc642cb6eb9a060e54bf8d69288fbee4904");
      assert.deepEqual(await workspace.lookup(""), { kind: "directory" });
    });
  });
};
