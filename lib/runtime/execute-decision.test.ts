import assert from "node:assert/strict";
import { mkdtemp, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, it } from "node:test";
import { memoryContentStore } from "../content/memory-content-store.ts";
import { InfrastructureError } from "../errors/planledger-error.ts";
import { builtinTools } from "../tools/builtin/builtin-tools.ts";
import type { Tool } from "../tools/tool.ts";
import { ToolRegistry } from "../tools/tool-registry.ts";
import { type ToolRequest, ToolRunner } from "../tools/tool-runner.ts";
import { type FileTree, storeFileTree, type TestFile } from "../tree/file-tree.testkit.ts";
import { memoryTreeStore } from "../tree/memory-tree-store.ts";
import { directoryWorkspace } from "../workspace/directory-workspace.ts";
import { storedWorkspace } from "../workspace/stored-workspace.ts";
import type { Workspace } from "../workspace/workspace.ts";
import { type ExecuteDecisionOptions, executeDecision } from "./execute-decision.ts";

const text = (content: string, mode: TestFile["mode"] = "100644"): TestFile => ({
  mode,
  bytes: Buffer.from(content),
});

const stored = async (files: Readonly<Record<string, TestFile>> = {}): Promise<Workspace> => {
  const stores = { contents: memoryContentStore(), trees: memoryTreeStore() };
  const tree: FileTree = new Map(Object.entries(files));
  const { sha256 } = await storeFileTree(stores, tree);
  return storedWorkspace({ trees: stores.trees, content: stores.contents, baseTree: sha256 });
};

const tool = (name: string, run: Tool["run"], overrides: Partial<Tool> = {}): Tool => ({
  name,
  description: "",
  inputSchema: { type: "object", additionalProperties: false },
  effect: "workspace",
  run,
  ...overrides,
});

const execute = (
  workspace: Workspace,
  toolCalls: readonly ToolRequest[],
  options: Partial<ExecuteDecisionOptions> & { readonly tools?: readonly Tool[] } = {},
) => {
  const { tools = [], ...others } = options;
  return executeDecision({
    decision: { id: "d1", toolCalls },
    resources: new Map([["app", { workspace, access: "write" }]]),
    bindings: {},
    runner: new ToolRunner({ registry: new ToolRegistry([...builtinTools(), ...tools]) }),
    clock: { now: () => 0 },
    ...others,
  });
};
const call = (name: string, input: Readonly<Record<string, unknown>> = {}): ToolRequest => ({
  tool: name,
  input,
});
const write = (path: string, content = "x") => call("write_file", { path, content });
const read = async (workspace: Workspace, path: string) => Buffer.from(await workspace.read(path)).toString();

const failureOf = async (workspace: Workspace, ...calls: readonly ToolRequest[]) => {
  const { outcome } = await execute(workspace, calls);
  assert.ok(outcome.status === "failed", "the decision failed");
  return outcome.failure;
};

describe("executeDecision", () => {
  it("a decision whose calls change more than it may hold fails, and lands nothing", async () => {
    const big = Buffer.concat([Buffer.from("x0"), Buffer.alloc(16 * 1024 * 1024 - 1024, "ab")]);
    const workspace = await stored({ big: { mode: "100644", bytes: big } });
    const edits = Array.from({ length: 9 }, (_, index) =>
      call("edit_file", { path: "big", edits: [{ oldText: `x${index}`, newText: `x${index + 1}` }] }),
    );
    const { outcome, contents } = await execute(workspace, edits, {
      contentBefore: { replacedUpToBytes: 1024 },
    });
    assert.partialDeepStrictEqual(outcome, {
      status: "failed",
      callOrdinal: 8,
      failure: { code: "limit_exceeded", details: { limit: 128 * 1024 * 1024 } },
    });
    assert.equal(contents.size, 0);
    assert.deepEqual(Buffer.from(await workspace.read("big")), big);
  });

  it("leaves the content before out where it is kept elsewhere", async () => {
    const calls = [write("a", "two"), write("c", "2"), call("delete_file", { path: "b" })];
    const files = { a: text("one"), b: text("gone"), c: text("1") };
    const texts = async (options: Partial<ExecuteDecisionOptions>) => {
      const { contents } = await execute(await stored(files), calls, options);
      return [...contents.values()].map((bytes) => Buffer.from(bytes).toString()).sort();
    };
    assert.deepEqual(await texts({}), ["1", "2", "gone", "one", "two"]);
    assert.deepEqual(await texts({ contentBefore: { replacedUpToBytes: 1 } }), ["1", "2", "two"]);
  });

  it("F20 R25: really calls each tool, and captures each effect with hash and content before and after", async () => {
    const workspace = await stored({ "a.txt": text("one\n"), run: text("#!", "100644") });
    const executed = await execute(workspace, [
      call("edit_file", { path: "a.txt", edits: [{ oldText: "one", newText: "two" }] }),
      write("b/c.txt", "new"),
      call("set_file_mode", { path: "run", mode: "100755" }),
      call("delete_file", { path: "a.txt" }),
    ]);
    assert.deepEqual(executed.outcome, { status: "landed" });
    assert.equal(executed.toolCallCount, 4);
    const content = (sha256: string | undefined) =>
      sha256 === undefined ? undefined : Buffer.from(executed.contents.get(sha256) ?? []).toString();
    assert.deepEqual(
      executed.entries.map((entry) => [
        entry.callOrdinal,
        entry.path,
        entry.kind,
        content(entry.before?.sha256),
        content(entry.after?.sha256),
      ]),
      [
        [0, "a.txt", "modify", "one\n", "two\n"],
        [1, "b/c.txt", "create", undefined, "new"],
        [2, "run", "mode", "#!", "#!"],
        [3, "a.txt", "delete", "two\n", undefined],
      ],
    );
    assert.equal(await read(workspace, "b/c.txt"), "new");
  });

  it("orders the entries of one call by the bytes of their paths, over all resources", async () => {
    const [app, docs] = [await stored(), await stored()];
    const both = tool("both", async (_input, { workspace }) => {
      for (const name of ["\u{1d4b3}", "\ufffd", "b", "a/x", "a-"]) {
        await workspace("docs").writeFile(name, Buffer.from(""));
        await workspace("app").writeFile(name, Buffer.from(""));
      }
      return { output: "" };
    });
    const { entries } = await execute(app, [call("both")], {
      tools: [both],
      resources: new Map([
        ["docs", { workspace: docs, access: "write" }],
        ["app", { workspace: app, access: "write" }],
      ]),
    });
    assert.deepEqual(
      entries.map(({ path, resource }) => `${path} ${resource}`),
      ["a-", "a/x", "b", "\ufffd", "\u{1d4b3}"].flatMap((path) => [`${path} app`, `${path} docs`]),
    );
  });

  it("gives no entry to a call whose net effect is nothing, nor to an empty directory", async () => {
    const workspace = await stored({ a: text("x") });
    const undo = tool("undo", async (_input, context) => {
      const files = context.workspace();
      await files.writeFile("a", Buffer.from("y"));
      await files.writeFile("a", Buffer.from("x"));
      await files.writeFile("b", Buffer.from("y"));
      await files.remove("b");
      return { output: "" };
    });
    const executed = await execute(
      workspace,
      [call("undo"), write("a"), call("create_directory", { path: "d" })],
      {
        tools: [undo],
      },
    );
    assert.deepEqual([executed.outcome.status, executed.entries], ["landed", []]);
    assert.equal(await workspace.lookup("d"), undefined, "it does not outlive its decision");
  });

  it("R26: the first call that fails ends the decision, which leaves nothing behind", async () => {
    const workspace = await stored({ a: text("x"), "d/e": text("y") });
    const before = await workspace.snapshot();
    const executed = await execute(workspace, [
      write("new"),
      call("delete_file", { path: "d", recursive: true }),
      call("create_directory", { path: "made" }),
      call("read_text_file", { path: "none" }),
      write("never"),
    ]);
    assert.ok(executed.outcome.status === "failed");
    assert.equal(executed.outcome.failure.code, "path_not_found");
    assert.equal(executed.outcome.callOrdinal, 3);
    assert.deepEqual(
      executed.calls.map(({ status }) => status),
      ["succeeded", "succeeded", "succeeded", "failed"],
    );
    assert.deepEqual([executed.entries, executed.contents.size], [[], 0]);
    assert.deepEqual(await (await workspace.snapshot()).changesSince(before), []);
    assert.equal(await workspace.lookup("made"), undefined);
    assert.ok(executed.reads.some((found) => found.kind === "node" && found.path === "none"));
  });

  it("F4: a fault of the infrastructure is thrown, and no state of the try is left", async () => {
    const workspace = await stored({ a: text("x") });
    const before = await workspace.snapshot();
    const fault = new InfrastructureError({ message: "throttled" });
    const flaky = tool("flaky", async () => {
      throw fault;
    });
    await assert.rejects(execute(workspace, [write("a", "y"), call("flaky")], { tools: [flaky] }), fault);
    assert.deepEqual(await (await workspace.snapshot()).changesSince(before), []);
  });

  it("a fault that the tool swallowed is thrown all the same", async () => {
    const workspace = await stored({ a: text("x") });
    const faulty: Workspace = {
      ...workspace,
      read: async () => {
        throw new InfrastructureError({ message: "throttled" });
      },
    };
    const swallows = tool("swallows", async (_input, context) => {
      await context
        .workspace()
        .readFile("a")
        .catch(() => undefined);
      return { output: "fine" };
    });
    await assert.rejects(execute(faulty, [call("swallows")], { tools: [swallows] }), InfrastructureError);
  });

  it("a tool that ran out of time can write no more", async () => {
    const workspace = await stored();
    const late = Promise.withResolvers<unknown>();
    const slow = tool(
      "slow",
      (_input, { workspace: open, signal }) =>
        new Promise(() => {
          const files = open();
          signal.addEventListener("abort", () => {
            // After the runner has answered and the handle is closed.
            setImmediate(() => files.writeFile("late", Buffer.from("x")).then(late.resolve, late.resolve));
          });
        }),
      { timeLimitMs: 5 },
    );
    const { outcome } = await execute(workspace, [call("slow")], { tools: [slow] });
    assert.equal(outcome.status === "failed" && outcome.failure.code, "tool_timed_out");
    assert.match(String(await late.promise), /call is over/);
    assert.equal(await workspace.lookup("late"), undefined);
  });

  for (const [how, result] of [
    ["has ended", Promise.resolve({ output: "" })],
    ["ran out of time", new Promise<never>(() => undefined)],
  ] as const) {
    it(`a tool that ${how} opens no workspace, so a late write lands in no other decision`, async () => {
      const workspace = await stored();
      const ended = Promise.withResolvers<void>();
      const late = Promise.withResolvers<unknown>();
      const lingers = tool(
        "lingers",
        (_input, { workspace: open }) => {
          ended.promise
            .then(() => open().writeFile("late", Buffer.from("x")))
            .then(() => late.resolve("written"), late.resolve);
          return result;
        },
        { timeLimitMs: 5 },
      );
      const next = tool("next", async () => {
        ended.resolve();
        await late.promise;
        return { output: "" };
      });
      const tools = [lingers, next];
      await execute(workspace, [call("lingers")], { tools });
      const { outcome, entries, reads } = await execute(workspace, [call("next")], { tools });
      assert.match(String(await late.promise), /call is over/);
      assert.deepEqual(
        { outcome, entries, reads },
        { outcome: { status: "landed" }, entries: [], reads: [] },
      );
      assert.equal(await workspace.lookup("late"), undefined);
    });
  }

  it("captures what a tool did to a directory on disk behind the workspace's back", async () => {
    const root = await mkdtemp(join(tmpdir(), "planledger-behind-"));
    try {
      await writeFile(join(root, "a"), "before");
      const behind = tool(
        "behind",
        async () => {
          await writeFile(join(root, "a"), "after!");
          await symlink("a", join(root, "l"));
          return { output: "I only read" };
        },
        { effect: "read" },
      );
      const workspace = directoryWorkspace({ root });
      const landed = await execute(workspace, [call("behind")], { tools: [behind] });
      assert.deepEqual(
        landed.entries.map(({ path, kind }) => [path, kind]),
        [
          ["a", "modify"],
          ["l", "create"],
        ],
      );
      const failed = await execute(workspace, [call("behind"), call("nope")], {
        tools: [
          tool("behind", async () => {
            await writeFile(join(root, "a"), "again!");
            return { output: "" };
          }),
        ],
      });
      assert.equal(failed.outcome.status, "failed");
      assert.equal(await read(workspace, "a"), "after!");
    } finally {
      await rm(root, { recursive: true });
    }
  });

  it("F6 F18: any output is kept, cut and hashed, and the decision goes on", async () => {
    const loud = tool("loud", async () => ({ output: `\0\ud800${"x".repeat(200_000)}` }));
    const executed = await execute(await stored(), [call("loud"), write("a")], { tools: [loud] });
    assert.deepEqual([executed.outcome.status, executed.entries.length], ["landed", 1]);
    const output = executed.calls[0]?.output;
    assert.deepEqual(
      [output?.bytes.byteLength, output?.truncated, output?.sizeBytes],
      [65_536, true, 200_004],
    );
  });

  it("F14: nothing that moves, links or creates takes the place of what stands", async () => {
    const files = { a: text("a"), b: text("b"), "d/e": text("e"), l: text("a", "120000") };
    const patch = "--- /dev/null\n+++ b/b\n@@ -0,0 +1 @@\n+x\n";
    for (const destination of ["b", "d", "l", "a"]) {
      const moved = await failureOf(await stored(files), call("move_file", { source: "a", destination }));
      assert.equal(moved.code, "path_exists", destination);
    }
    for (const path of ["b", "d", "l"]) {
      const linked = await failureOf(await stored(files), call("create_symlink", { path, target: "a" }));
      assert.equal(linked.code, "path_exists", path);
    }
    assert.equal((await failureOf(await stored(files), call("apply_patch", { patch }))).code, "path_exists");
    assert.equal(
      (await failureOf(await stored(files), call("create_directory", { path: "a" }))).code,
      "path_exists",
    );
    const workspace = await stored({ b: text("old", "100755") });
    const { entries } = await execute(workspace, [write("b", "new")]);
    assert.deepEqual(
      entries.map(({ kind, after }) => [kind, after?.mode]),
      [["modify", "100755"]],
    );
  });

  it("F15: edits keep every other byte: BOM, CRLF, mixed line ends, no newline at the end", async () => {
    const before = "\ufeffone\r\ntwo\nthree\r\n\r\nfour\rfive";
    const workspace = await stored({ a: text(before) });
    await execute(workspace, [
      call("edit_file", {
        path: "a",
        edits: [
          { oldText: "two\nth", newText: "2\r\nth" },
          { oldText: "five", newText: "5" },
          { oldText: "2\r\n", newText: "II\n" },
        ],
      }),
    ]);
    assert.equal(await read(workspace, "a"), "\ufeffone\r\nII\nthree\r\n\r\nfour\r5");
  });

  it("an edit says how often its text occurs, and when only line ends differ", async () => {
    const workspace = await stored({ a: text("aaa\r\nb\r\n") });
    const edit = (oldText: string) => call("edit_file", { path: "a", edits: [{ oldText, newText: "" }] });
    const twice = await failureOf(workspace, edit("aa"));
    assert.deepEqual([twice.code, twice.details?.occurrences], ["edit_ambiguous", 2]);
    assert.match(twice.message, /occurs 2 times/);
    const none = await failureOf(workspace, edit("aaa\nb"));
    assert.equal(none.code, "edit_no_match");
    assert.match(none.message, /has CRLF/);
    const dry = await execute(workspace, [
      call("edit_file", { path: "a", edits: [{ oldText: "b", newText: "c" }], dryRun: true }),
    ]);
    assert.deepEqual([dry.outcome.status, dry.entries], ["landed", []]);
    assert.match(
      Buffer.from(dry.calls[0]?.output.bytes ?? []).toString(),
      /^diff --git a\/a b\/a\n[\s\S]*\n-b\r\n\+c\r\n/,
    );
  });

  it("F16: a move with an edit, of a path that holds ` b/`, has the right source and target", async () => {
    const { entries } = await execute(await stored({ "x b/é": text("1\n2\n") }), [
      call("move_file", { source: "x b/é", destination: "y b/è" }),
      call("edit_file", { path: "y b/è", edits: [{ oldText: "2", newText: "3" }] }),
    ]);
    assert.deepEqual(
      entries.map(({ path, kind, callOrdinal }) => [path, kind, callOrdinal]),
      [
        ["x b/é", "delete", 0],
        ["y b/è", "create", 0],
        ["y b/è", "modify", 1],
      ],
    );
  });

  it("F17: binary changes, and empty files that come and go, are captured", async () => {
    const bytes = Buffer.from([0, 255, 254, 10]);
    const workspace = await stored({ empty: text("") });
    const { entries, contents } = await execute(workspace, [
      call("write_file", { path: "bin", content: bytes.toString("base64"), encoding: "base64" }),
      call("delete_file", { path: "empty" }),
      write("new empty", ""),
    ]);
    assert.deepEqual(
      entries.map(({ path, kind, before, after }) => [path, kind, before?.sizeBytes, after?.sizeBytes]),
      [
        ["bin", "create", undefined, 4],
        ["empty", "delete", 0, undefined],
        ["new empty", "create", undefined, 0],
      ],
    );
    assert.deepEqual(Buffer.from(contents.get(entries[0]?.after?.sha256 ?? "") ?? []), bytes);
  });

  describe("resources", () => {
    const three = async () => ({
      app: await stored(),
      docs: await stored({ readme: text("r") }),
      more: await stored(),
    });
    const run = async (
      calls: readonly ToolRequest[],
      access: { docs: "read" | "write"; more: "read" | "write" },
    ) => {
      const workspaces = await three();
      return execute(workspaces.app, calls, {
        resources: new Map([
          ["docs", { workspace: workspaces.docs, access: access.docs }],
          ["app", { workspace: workspaces.app, access: "write" }],
          ["more", { workspace: workspaces.more, access: access.more }],
        ]),
        bindings: { repo: "app", "the docs": "docs" },
        tools: [tool("plain", async (_input, { workspace }) => ({ output: workspace().resource }))],
      });
    };
    const oneWritable = { docs: "read", more: "read" } as const;

    it("of several a call must name its own, by name or binding, however many are writable; entries hold the name", async () => {
      for (const access of [oneWritable, { docs: "write", more: "read" }] as const) {
        const unnamed = await run([write("a")], access);
        assert.ok(unnamed.outcome.status === "failed");
        assert.equal(unnamed.outcome.failure.code, "unknown_resource");
        assert.match(unnamed.outcome.failure.message, /docs, app, more, repo, the docs/);
      }
      const named = await run([call("write_file", { path: "a", content: "", resource: "repo" })], {
        docs: "write",
        more: "read",
      });
      assert.deepEqual(
        named.entries.map(({ resource }) => resource),
        ["app"],
      );
    });
    it("a tool that declares no resource is sent to the one that its call names", async () => {
      const { calls } = await run([call("plain", { resource: "the docs" })], oneWritable);
      assert.equal(Buffer.from(calls[0]?.output.bytes ?? []).toString(), "docs");
    });
    it("an unknown one is refused before the tool runs", async () => {
      for (const resource of ["nope", "__proto__", "constructor"]) {
        for (const name of ["plain", "list_directory"]) {
          const input = name === "plain" ? { resource } : { path: ".", resource };
          const { outcome } = await run([call(name, input)], oneWritable);
          assert.equal(outcome.status === "failed" && outcome.failure.code, "unknown_resource");
        }
      }
    });
    it("one that is bound for reading is read, and never changed", async () => {
      const inDocs = (name: string, input: object) => call(name, { ...input, resource: "docs" });
      const fine = await run([inDocs("read_text_file", { path: "readme" })], oneWritable);
      assert.equal(fine.outcome.status, "landed");
      for (const refused of [
        inDocs("write_file", { path: "a", content: "" }),
        inDocs("delete_file", { path: "readme" }),
        inDocs("create_directory", { path: "d" }),
        inDocs("move_file", { source: "readme", destination: "b" }),
        inDocs("set_file_mode", { path: "readme", mode: "100755" }),
        inDocs("create_symlink", { path: "l", target: "readme" }),
      ]) {
        const { outcome } = await run([refused], oneWritable);
        assert.equal(outcome.status === "failed" && outcome.failure.code, "read_only_resource", refused.tool);
      }
    });
    it("one that is bound for reading is put back when a tool changed it by other means", async () => {
      const root = await mkdtemp(join(tmpdir(), "planledger-readonly-"));
      try {
        await writeFile(join(root, "a"), "before");
        const behind = tool("behind", async () => {
          await writeFile(join(root, "a"), "after!");
          return { output: "" };
        });
        const workspace = directoryWorkspace({ root });
        const { outcome } = await execute(workspace, [call("behind")], {
          tools: [behind],
          resources: new Map([["app", { workspace, access: "read" }]]),
        });
        assert.equal(outcome.status === "failed" && outcome.failure.code, "read_only_resource");
        assert.equal(await read(workspace, "a"), "before");
      } finally {
        await rm(root, { recursive: true });
      }
    });
  });

  describe("external calls", () => {
    const external = (run: Tool["run"] = async () => ({ output: "ran" })) =>
      tool("ask", run, { effect: "external", idempotent: true, timeLimitMs: 1234 });

    it("go through the port, which may answer without running them", async () => {
      let runs = 0;
      const ask = external(async (_input, { idempotencyKey }) => {
        runs += 1;
        return { output: `key ${idempotencyKey}` };
      });
      const seen: unknown[] = [];
      const through: ExecuteDecisionOptions["external"] = async (callOrdinal, run, info) => {
        seen.push([callOrdinal, info]);
        return run("k1");
      };
      const executed = await execute(await stored(), [write("a"), call("ask")], {
        tools: [ask],
        external: through,
      });
      assert.equal(Buffer.from(executed.calls[1]?.output.bytes ?? []).toString(), "key k1");
      assert.deepEqual(seen, [
        [
          1,
          {
            tool: "ask",
            inputSha256: executed.calls[1]?.inputSha256,
            idempotent: true,
            timeLimitMs: 1234,
          },
        ],
      ]);
      const known = executed.calls[1];
      assert.ok(known?.status === "succeeded");
      const again = await execute(await stored(), [call("ask")], {
        tools: [ask],
        external: async () => ({ status: "succeeded", output: known.output }),
      });
      assert.deepEqual(again.calls[0]?.output, known.output);
      assert.equal(runs, 1);
    });
    it("no intent is recorded for one whose input is invalid", async () => {
      const { outcome } = await execute(await stored(), [call("ask", { x: 1 })], {
        tools: [external()],
        external: () => assert.fail("the port was asked"),
      });
      assert.equal(outcome.status === "failed" && outcome.failure.code, "input_invalid");
    });
    it("may not write to a workspace through the port, since the change would be lost with a known result", async () => {
      const writes = external(async (_input, { workspace }) => {
        await workspace().writeFile("a", Buffer.from(""));
        return { output: "" };
      });
      const options = { tools: [writes] };
      const fenced = await execute(await stored(), [call("ask")], {
        ...options,
        external: (_ordinal, run) => run(),
      });
      assert.equal(fenced.outcome.status === "failed" && fenced.outcome.failure.code, "read_only_resource");
      const direct = await execute(await stored(), [call("ask")], options);
      assert.equal(direct.entries.length, 1);
    });
    it("what the port throws goes through, with the workspaces put back", async () => {
      const workspace = await stored();
      const fencedOut = new Error("fenced out");
      await assert.rejects(
        execute(workspace, [write("a"), call("ask")], {
          tools: [external()],
          external: async () => {
            throw fencedOut;
          },
        }),
        fencedOut,
      );
      assert.equal(await workspace.lookup("a"), undefined);
    });
  });

  describe("symbolic links", () => {
    const files = { "d/f": text("x"), l: text("d", "120000"), fl: text("d/f", "120000") };
    it("are followed by no tool, neither among the parents nor at the end", async () => {
      for (const refused of [
        call("read_text_file", { path: "l/f" }),
        call("read_text_file", { path: "fl" }),
        write("l/f"),
        write("l/new/f"),
        write("fl"),
        call("edit_file", { path: "fl", edits: [{ oldText: "x", newText: "y" }] }),
        call("list_directory", { path: "l" }),
        call("search_files", { path: "l", pattern: "**" }),
        call("get_file_info", { path: "l/f" }),
        call("delete_file", { path: "l/f" }),
        call("move_file", { source: "l/f", destination: "x" }),
        call("move_file", { source: "d/f", destination: "l/x" }),
        call("create_directory", { path: "l/x" }),
        call("set_file_mode", { path: "fl", mode: "100755" }),
        call("create_symlink", { path: "l/x", target: "y" }),
        call("apply_patch", { patch: "--- a/l/f\n+++ b/l/f\n@@ -1 +1 @@\n-x\n+y\n" }),
      ]) {
        const { code } = await failureOf(await stored(files), refused);
        assert.equal(code, "symlink_refused", JSON.stringify(refused));
      }
    });
    it("are themselves moved, deleted, told and found", async () => {
      const workspace = await stored(files);
      const { outcome, calls, entries } = await execute(workspace, [
        call("get_file_info", { path: "l" }),
        call("search_files", { path: ".", pattern: "**" }),
        call("move_file", { source: "l", destination: "m" }),
        call("delete_file", { path: "fl" }),
      ]);
      assert.equal(outcome.status, "landed");
      const outputs = calls.map(({ output }) => Buffer.from(output.bytes).toString());
      assert.equal(outputs[0], "type: symlink\ntarget: d");
      assert.equal(outputs[1], "d\nd/f\nfl\nl");
      assert.deepEqual(
        entries.map(({ path, kind }) => [path, kind]),
        [
          ["l", "delete"],
          ["m", "create"],
          ["fl", "delete"],
        ],
      );
      assert.equal(await read(workspace, "d/f"), "x");
    });
    it("point inside the tree when a tool makes or moves them", async () => {
      for (const [path, target] of [
        ["x", "/etc/passwd"],
        ["x", "../x"],
        ["d/x", "../../x"],
        ["x", "d/../../x"],
        ["x", ".git/config"],
        ["x", "git~1/config"],
        ["x", "C:/x"],
        ["x", ""],
      ] as const) {
        const { code } = await failureOf(await stored(files), call("create_symlink", { path, target }));
        assert.match(code, /path_refused/, target);
      }
      const inner = { ...files, "d/up": text("../fl", "120000") };
      for (const calls of [
        [call("move_file", { source: "d/up", destination: "up" })],
        [
          call("move_file", { source: "d", destination: "e/d" }),
          call("move_file", { source: "e/d/up", destination: "up" }),
        ],
      ]) {
        assert.equal((await failureOf(await stored(inner), ...calls)).code, "path_refused");
      }
    });
  });

  describe("paths", () => {
    const refused = [
      "..",
      "../a",
      "/a",
      "a\\b",
      "C:/a",
      "a\0b",
      ".git/x",
      "a/.GIT",
      "a/git~1",
      "a//b",
      "a/",
      "./a",
      "",
    ];
    for (const path of refused) {
      it(`${JSON.stringify(path)} is refused by every tool`, async () => {
        for (const bad of [
          write(path),
          call("read_text_file", { path }),
          call("edit_file", { path, edits: [{ oldText: "a", newText: "b" }] }),
          call("move_file", { source: path, destination: "x" }),
          call("move_file", { source: "f", destination: path }),
          call("delete_file", { path, recursive: true }),
          call("set_file_mode", { path, mode: "100644" }),
          call("create_symlink", { path, target: "x" }),
          ...(path === ""
            ? []
            : [
                call("list_directory", { path }),
                call("search_files", { path, pattern: "*" }),
                call("create_directory", { path }),
                call("get_file_info", { path }),
              ]),
        ]) {
          const { code } = await failureOf(await stored({ f: text("f") }), bad);
          assert.ok(
            code === "path_refused" || (path === "" && code === "is_a_directory"),
            `${bad.tool}: ${code}`,
          );
        }
      });
    }
    it("a file among the parents is not_a_directory", async () => {
      for (const below of [
        write("f/x"),
        call("read_text_file", { path: "f/x/y" }),
        call("list_directory", { path: "f" }),
      ]) {
        assert.equal((await failureOf(await stored({ f: text("f") }), below)).code, "not_a_directory");
      }
    });
    it("a file above 16 MiB is file_too_large", async () => {
      const { code } = await failureOf(await stored(), write("a", "x".repeat(16 * 1024 * 1024 + 1)));
      assert.equal(code, "file_too_large");
    });
    it("a directory moves with all it holds, but not into itself", async () => {
      const workspace = await stored({ "d/a": text("1"), "d/e/b": text("2", "100755") });
      assert.equal(
        (await failureOf(workspace, call("move_file", { source: "d", destination: "d/x" }))).code,
        "path_refused",
      );
      const { entries } = await execute(workspace, [call("move_file", { source: "d", destination: "n/d" })]);
      assert.deepEqual(
        entries.map(({ path, kind, before, after }) => [path, kind, (before ?? after)?.mode]),
        [
          ["d/a", "delete", "100644"],
          ["d/e/b", "delete", "100755"],
          ["n/d/a", "create", "100644"],
          ["n/d/e/b", "create", "100755"],
        ],
      );
    });
  });

  describe("read_text_file", () => {
    const run = async (content: string, input: object) => {
      const { calls, outcome } = await execute(await stored({ f: text(content) }), [
        call("read_text_file", { path: "f", ...input }),
      ]);
      return outcome.status === "failed"
        ? outcome.failure.code
        : Buffer.from(calls[0]?.output.bytes ?? []).toString();
    };
    const cases: readonly (readonly [string, object, string])[] = [
      ["\ufeffa\r\nb", {}, "\ufeffa\r\nb"],
      ["a\nb\nc\n", { head: 2 }, "a\nb\n"],
      ["a\nb\nc\n", { tail: 2 }, "b\nc\n"],
      ["a\nb\nc", { tail: 2 }, "b\nc"],
      ["a\n\n", { tail: 1 }, "\n"],
      ["a\nb", { head: 9 }, "a\nb"],
      ["a\nb", { tail: 9 }, "a\nb"],
      ["", { head: 1 }, ""],
      ["", { tail: 1 }, ""],
      ["\n", { tail: 1 }, "\n"],
      ["a", { head: 1, tail: 1 }, "input_invalid"],
      ["a", { head: 0 }, "input_invalid"],
    ];
    for (const [content, input, expected] of cases) {
      it(`gives ${JSON.stringify(expected)} of ${JSON.stringify(content)} with ${JSON.stringify(input)}`, async () => {
        assert.equal(await run(content, input), expected);
      });
    }
    it("refuses what is no text", async () => {
      const workspace = await stored({ f: { mode: "100644", bytes: Buffer.from([0xff]) } });
      assert.equal((await failureOf(workspace, call("read_text_file", { path: "f" }))).code, "not_text");
    });
  });
});
