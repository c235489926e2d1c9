import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { contentState } from "../content/content-state.ts";
import { memoryContentStore } from "../content/memory-content-store.ts";
import { InfrastructureError } from "../errors/planledger-error.ts";
import { buildTree } from "../tree/build-tree.ts";
import { countingTreeStore } from "../tree/counting-tree-store.ts";
import { type FileTree, storeFileTree } from "../tree/file-tree.testkit.ts";
import { memoryTreeStore } from "../tree/memory-tree-store.ts";
import { storedWorkspace } from "./stored-workspace.ts";
import { workspaceContract } from "./workspace.contract.ts";

const storesWith = async (files: FileTree) => {
  const contents = memoryContentStore();
  const trees = memoryTreeStore();
  const { sha256 } = await storeFileTree({ contents, trees }, files);
  return { contents, trees, baseTree: sha256 };
};
const file = (text: string) => ({ kind: "file", mode: "100644", bytes: Buffer.from(text) }) as const;

workspaceContract("stored", async (files) => {
  const { trees, contents, baseTree } = await storesWith(files);
  return { workspace: storedWorkspace({ trees, content: contents, baseTree }), close: async () => undefined };
});

describe("storedWorkspace", () => {
  it("on 20,000 files, an edit loads the directories on its path and that file alone", async () => {
    const contents = memoryContentStore();
    const trees = countingTreeStore(memoryTreeStore());
    const [sha256 = ""] = await contents.put([Buffer.from("text\n")]);
    const state = { ...contentState(Buffer.from("text\n"), "100644"), sha256 };
    const files = Array.from({ length: 20_000 }, (_, index) => ({
      path: `d${index % 20}/e${index % 400}/f${index}`,
      file: state,
    }));
    const base = await buildTree(trees, files);
    let contentReads = 0;
    const content = {
      get: (hash: string) => {
        contentReads += 1;
        return contents.get(hash);
      },
    };
    const workspace = storedWorkspace({ trees, content, baseTree: base.sha256 });
    const start = trees.counts();
    const before = await workspace.snapshot();
    const path = "d7/e27/f427";
    assert.equal((await workspace.lookup(path))?.kind, "file");
    await workspace.write(path, file(`${Buffer.from(await workspace.read(path)).toString()}more\n`));
    const after = await workspace.snapshot();
    const changes = await after.changesSince(before);
    await workspace.settle();
    assert.deepEqual(
      changes.map((change) => change.path),
      [path],
    );
    assert.deepEqual(trees.counts(), { reads: start.reads + 3, writes: start.writes });
    assert.equal(contentReads, 1);
    assert.deepEqual([...workspace.overlay().keys()], [path]);
  });

  it("lists a directory without loading those in it", async () => {
    const { contents, trees, baseTree } = await storesWith(
      new Map(["a/x", "b/x", "c/x"].map((path) => [path, { mode: "100644", bytes: Buffer.from("") }])),
    );
    const counting = countingTreeStore(trees);
    const workspace = storedWorkspace({ trees: counting, content: contents, baseTree });
    assert.equal((await workspace.list("")).length, 3);
    assert.equal(counting.counts().reads, 1);
  });

  it("goes on from the overlay and the contents of another, as from a checkpoint", async () => {
    const files: FileTree = new Map(
      ["a/b", "a/c", "d", "e/f"].map((path) => [path, { mode: "100644", bytes: Buffer.from(path) }]),
    );
    const { contents, trees, baseTree } = await storesWith(files);
    const first = storedWorkspace({ trees, content: contents, baseTree });
    await first.write("a", undefined);
    await first.write("a", file("file now"));
    await first.write("d", undefined);
    await first.write("d/x", file("directory now"));
    await first.write("e/f", file("changed"));
    await first.write("e/f", file("e/f"));
    await first.settle();
    assert.deepEqual([...first.overlay().keys()].sort(), ["a", "a/b", "a/c", "d", "d/x"]);
    await contents.put([...first.newContents().values()]);
    first.contentsStored();
    assert.equal(first.newContents().size, 0);
    const second = storedWorkspace({ trees, content: contents, baseTree, overlay: new Map(first.overlay()) });
    for (const workspace of [first, second]) {
      assert.equal(Buffer.from(await workspace.read("a")).toString(), "file now");
      assert.deepEqual(await workspace.list("d"), [{ name: "x", kind: "file" }]);
      assert.deepEqual(
        (await workspace.list("")).map(({ name }) => name),
        ["a", "d", "e"],
      );
    }
    const ids = await Promise.all(
      [first, second].map(async (workspace) => (await workspace.snapshot()).gitTreeId()),
    );
    assert.equal(ids[0], ids[1]);
    await second.write("a", undefined);
    await second.write("a/b", file("a/b"));
    assert.ok(!second.overlay().has("a/b"), "what is as in the base is no change");
  });

  it("takes missing content or directories for a fault of the store, never for an answer", async () => {
    const { trees, baseTree } = await storesWith(
      new Map([["a/b", { mode: "100644", bytes: Buffer.from("x") }]]),
    );
    const empty = memoryContentStore();
    await assert.rejects(
      storedWorkspace({ trees, content: empty, baseTree }).read("a/b"),
      (error) => error instanceof InfrastructureError && error.code === "content_missing",
    );
    await assert.rejects(
      storedWorkspace({ trees: memoryTreeStore(), content: empty, baseTree }).list(""),
      InfrastructureError,
    );
  });

  it("loads a directory again after a fault", async () => {
    const { contents, trees, baseTree } = await storesWith(
      new Map([["a", { mode: "100644", bytes: Buffer.from("x") }]]),
    );
    let faults = 1;
    const flaky = {
      ...trees,
      get: async (sha256: string) => {
        faults -= 1;
        if (faults === 0) throw new InfrastructureError({ message: "throttled" });
        return trees.get(sha256);
      },
    };
    const workspace = storedWorkspace({ trees: flaky, content: contents, baseTree });
    await assert.rejects(workspace.list(""), InfrastructureError);
    assert.equal((await workspace.list("")).length, 1);
  });
});
