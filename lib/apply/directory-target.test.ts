import assert from "node:assert/strict";
import {
  chmodSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { after, before, test } from "node:test";
import fc from "fast-check";
import { contentState } from "../content/content-state.ts";
import type { FileMode } from "../tree/file-state.ts";
import type { DirectoryFiles } from "./directory-files.ts";
import { directoryTarget } from "./directory-target.ts";
import type { NetChange } from "./net-change.ts";
import { nodeDirectoryFiles } from "./node-directory-files.ts";

const runs = Number(process.env.PROPERTY_RUNS ?? 150);
interface Leaf {
  readonly mode: FileMode;
  readonly text: string;
}
type Tree = ReadonlyMap<string, Leaf>;

let dir = "";
before(() => {
  dir = mkdtempSync(join(tmpdir(), "planledger-directory-"));
});
after(() => rmSync(dir, { recursive: true, force: true }));

function layTree(tree: Tree): string {
  const root = mkdtempSync(join(dir, "root-"));
  mkdirSync(join(root, "node_modules/left"), { recursive: true });
  writeFileSync(join(root, "node_modules/left/alone.js"), "untouched\n");
  for (const [path, leaf] of tree) {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    if (leaf.mode === "120000") symlinkSync(leaf.text, join(root, path));
    else writeFileSync(join(root, path), leaf.text, { mode: leaf.mode === "100755" ? 0o755 : 0o644 });
  }
  return root;
}

function readTree(root: string, prefix = ""): Map<string, Leaf> {
  const tree = new Map<string, Leaf>();
  for (const name of readdirSync(join(root, prefix)).sort()) {
    const path = prefix === "" ? name : `${prefix}/${name}`;
    if (path === "node_modules" || path === ".planledger") continue;
    const node = lstatSync(join(root, path));
    if (node.isDirectory()) for (const [below, leaf] of readTree(root, path)) tree.set(below, leaf);
    else if (node.isSymbolicLink()) tree.set(path, { mode: "120000", text: readlinkSync(join(root, path)) });
    else {
      const mode = (node.mode & 0o100) === 0 ? "100644" : "100755";
      tree.set(path, { mode, text: readFileSync(join(root, path), "utf8") });
    }
  }
  return tree;
}

const sorted = (tree: Tree) => [...tree].sort(([a], [b]) => (a < b ? -1 : 1));
const state = (leaf: Leaf | undefined) =>
  leaf === undefined ? null : contentState(Buffer.from(leaf.text), leaf.mode);

function changesBetween(base: Tree, final: Tree): NetChange[] {
  const paths = [...new Set([...base.keys(), ...final.keys()])].sort();
  return paths
    .map((path) => ({ path, before: state(base.get(path)), after: state(final.get(path)) }))
    .filter(({ before: a, after: b }) => a?.sha256 !== b?.sha256 || a?.mode !== b?.mode);
}

function contentOf(tree: Tree) {
  const bytes = new Map([...tree.values()].map((leaf) => [state(leaf)?.sha256, Buffer.from(leaf.text)]));
  return async (sha256: string): Promise<Uint8Array> => {
    const found = bytes.get(sha256);
    assert.ok(found !== undefined, `no content ${sha256}`);
    return found;
  };
}

/** A tree whose paths may also be directories of other paths' trees; of a clash within one tree, the first stays. */
const tree = fc
  .array(
    fc.tuple(
      fc.constantFrom("a", "a/b", "a/b/c", "d", "d/e", "f g/h", "i", "j/k/l", "ü/ b/m"),
      fc.record({
        mode: fc.constantFrom<FileMode>("100644", "100755", "120000"),
        text: fc.constantFrom("one\n", "two", "x/y"),
      }),
    ),
    { maxLength: 8 },
  )
  .map((leaves) => {
    const kept = new Map<string, Leaf>();
    for (const [path, { mode, text }] of leaves) {
      const clash = [...kept.keys()].some(
        (other) => other === path || other.startsWith(`${path}/`) || path.startsWith(`${other}/`),
      );
      if (!clash) kept.set(path, { mode, text });
    }
    return kept;
  });

class Crash extends Error {}

/** The disk of a process that dies at its n-th operation, before or after that took effect. */
function dyingFiles(at: number, when: "before" | "after"): DirectoryFiles & { readonly calls: () => number } {
  const files = nodeDirectoryFiles();
  let calls = 0;
  const step = async <T>(operation: () => Promise<T>): Promise<T> => {
    calls++;
    if (calls > at) throw new Crash();
    if (calls === at && when === "before") throw new Crash();
    const result = await operation();
    if (calls === at) throw new Crash();
    return result;
  };
  return {
    calls: () => calls,
    lookup: (path) => step(() => files.lookup(path)),
    list: (path) => step(() => files.list(path)),
    read: (path, kind) => step(() => files.read(path, kind)),
    writeFile: (path, bytes, options) => step(() => files.writeFile(path, bytes, options)),
    copyPermissions: (from, to) => step(() => files.copyPermissions(from, to)),
    makeSymlink: (path, target) => step(() => files.makeSymlink(path, target)),
    makeDirectory: (path) => step(() => files.makeDirectory(path)),
    rename: (from, to) => step(() => files.rename(from, to)),
    renameObstacle: (from, into) => step(() => files.renameObstacle(from, into)),
    removeFile: (path) => step(() => files.removeFile(path)),
    removeDirectory: (path) => step(() => files.removeDirectory(path)),
    syncDirectory: (path) => step(() => files.syncDirectory(path)),
  };
}

const uncommitted = async (): Promise<string[]> => [];

test("an apply that dies at any operation leaves the old tree or the new one, and a repeat ends in the new one", async () => {
  await fc.assert(
    fc.asyncProperty(
      tree,
      tree,
      fc.nat(10_000),
      fc.constantFrom("before" as const, "after" as const),
      async (base, final, point, when) => {
        const changes = changesBetween(base, final);
        fc.pre(changes.length > 0);
        const apply = { digest: "d", changes, content: contentOf(final) };
        const root = layTree(base);
        try {
          const healthy = dyingFiles(Number.POSITIVE_INFINITY, when);
          const rehearsal = layTree(base);
          await directoryTarget({ root: rehearsal, files: healthy, uncommitted }).apply(apply);
          assert.deepEqual(sorted(readTree(rehearsal)), sorted(final));
          rmSync(rehearsal, { recursive: true });

          const at = 1 + (point % Math.max(1, healthy.calls()));
          await assert.rejects(
            directoryTarget({ root, files: dyingFiles(at, when), uncommitted }).apply(apply),
            Crash,
          );
          const next = directoryTarget({ root, files: nodeDirectoryFiles(), uncommitted });
          const { finished } = await next.recover();
          const now = sorted(readTree(root));
          const isNew = JSON.stringify(now) === JSON.stringify(sorted(final));
          if (!isNew) assert.deepEqual(now, sorted(base));
          if (finished !== undefined) assert.ok(isNew, "a journal that was finished ends in the new tree");
          if (finished === undefined && !isNew) assert.equal((await next.apply(apply)).status, "applied");
          assert.deepEqual(sorted(readTree(root)), sorted(final));
          assert.equal(readFileSync(join(root, "node_modules/left/alone.js"), "utf8"), "untouched\n");
          assert.deepEqual(
            readdirSync(root).includes(".planledger")
              ? readdirSync(join(root, ".planledger"))
              : [".gitignore"],
            [".gitignore"],
          );
        } finally {
          rmSync(root, { recursive: true, force: true });
        }
      },
    ),
    { numRuns: runs },
  );
});

test("a recovery that dies too is taken up by the next one", async () => {
  await fc.assert(
    fc.asyncProperty(
      tree,
      tree,
      fc.array(fc.integer({ min: 1, max: 60 }), { minLength: 1, maxLength: 4 }),
      async (base, final, deaths) => {
        const changes = changesBetween(base, final);
        const apply = { digest: "d", changes, content: contentOf(final) };
        const root = layTree(base);
        try {
          await directoryTarget({ root, files: dyingFiles(deaths[0] ?? 1, "after"), uncommitted })
            .apply(apply)
            .catch(ignoreCrash);
          for (const death of deaths.slice(1)) {
            await directoryTarget({ root, files: dyingFiles(death, "before"), uncommitted })
              .recover()
              .catch(ignoreCrash);
          }
          await directoryTarget({ root, files: nodeDirectoryFiles(), uncommitted }).recover();
          const now = JSON.stringify(sorted(readTree(root)));
          assert.ok(now === JSON.stringify(sorted(base)) || now === JSON.stringify(sorted(final)), now);
        } finally {
          rmSync(root, { recursive: true, force: true });
        }
      },
    ),
    { numRuns: runs },
  );
});

function ignoreCrash(error: unknown): void {
  if (!(error instanceof Crash)) throw error;
}

test("a path that is not as the changeset expects is a conflict, and nothing is changed", async () => {
  const base: Tree = new Map([
    ["kept", { mode: "100644", text: "one\n" }],
    ["edited", { mode: "100644", text: "one\n" }],
  ]);
  const final: Tree = new Map([
    ["kept", { mode: "100644", text: "two\n" }],
    ["edited", { mode: "100644", text: "two\n" }],
    ["new", { mode: "100644", text: "two\n" }],
  ]);
  const root = layTree(
    new Map([
      ...base,
      ["new", { mode: "100644", text: "mine\n" }],
      ["edited", { mode: "100644", text: "mine\n" }],
    ]),
  );
  const before = sorted(readTree(root));
  const target = directoryTarget({ root, files: nodeDirectoryFiles(), uncommitted: async () => ["kept"] });
  const result = await target.apply({
    digest: "d",
    changes: changesBetween(base, final),
    content: contentOf(final),
  });
  assert.equal(result.status, "conflicts");
  const found =
    result.status === "conflicts" ? result.conflicts.map(({ path, reason }) => [path, reason]) : [];
  assert.deepEqual(found, [
    ["edited", "moved"],
    ["new", "moved"],
    ["kept", "uncommitted"],
  ]);
  assert.deepEqual(sorted(readTree(root)), before);
});

test("nothing is written through a symbolic link", async () => {
  const outside = mkdtempSync(join(dir, "outside-"));
  const root = layTree(new Map([["link", { mode: "120000", text: outside }]]));
  const final: Tree = new Map([["link/file", { mode: "100644", text: "escaped\n" }]]);
  const target = directoryTarget({ root, files: nodeDirectoryFiles(), uncommitted });
  const result = await target.apply({
    digest: "d",
    changes: changesBetween(new Map(), final),
    content: contentOf(final),
  });
  assert.equal(result.status, "conflicts");
  assert.deepEqual(readdirSync(outside), []);

  rmSync(join(root, ".planledger"), { recursive: true, force: true });
  symlinkSync(outside, join(root, ".planledger"));
  const own: Tree = new Map([["file", { mode: "100644", text: "escaped\n" }]]);
  await assert.rejects(
    target.apply({ digest: "d", changes: changesBetween(new Map(), own), content: contentOf(own) }),
    { code: "symlink_refused" },
  );
  assert.deepEqual(readdirSync(outside), []);
});

/** A directory in which somebody laid down a journal, with what it says is staged. */
function layJournal(tree: Tree, changes: readonly NetChange[], staged: readonly string[]): string {
  const root = layTree(tree);
  const room = join(root, ".planledger", "apply");
  mkdirSync(room, { recursive: true });
  for (const [index, text] of staged.entries()) writeFileSync(join(room, `${index}`), text);
  writeFileSync(join(room, "journal.json"), JSON.stringify({ v: 1, digest: "d", changes }));
  return root;
}

test("a journal that came with a directory leads neither out of it nor into git's folder or its own", async () => {
  const after = state({ mode: "100755", text: "echo pwned\n" });
  const outside = join(dir, "outside-of-all");
  for (const path of [
    "../outside-of-all",
    outside,
    ".git/hooks/post-commit",
    "sub/.GIT/config",
    ".planledger/dev.json",
  ]) {
    const changes = [
      { path: "a", before: null, after: state({ mode: "100644", text: "fine\n" }) },
      { path, before: null, after },
    ];
    const root = layJournal(new Map(), changes, ["fine\n", "echo pwned\n"]);
    await assert.rejects(directoryTarget({ root, files: nodeDirectoryFiles(), uncommitted }).recover(), {
      code: "content_mismatch",
      message: /is not the journal of an apply .*nothing was changed/s,
    });
    assert.deepEqual(readdirSync(root).sort(), [".planledger", "node_modules"]);
    assert.deepEqual(readdirSync(join(root, ".planledger")), ["apply"]);
    assert.equal(readdirSync(dir).includes("outside-of-all"), false);
  }
});

test("a journal that cannot be read is told of, and nothing is changed", async () => {
  for (const text of ["{", "{}", "null", '{"v":2,"digest":"d","changes":[]}']) {
    const root = layJournal(new Map(), [], []);
    writeFileSync(join(root, ".planledger/apply/journal.json"), text);
    await assert.rejects(directoryTarget({ root, files: nodeDirectoryFiles(), uncommitted }).recover(), {
      code: "content_mismatch",
    });
  }
});

test("a journal whose staged content is gone, or another, is not carried out in part", async () => {
  const base: Tree = new Map([["gone", { mode: "100644", text: "one\n" }]]);
  const final: Tree = new Map([["new", { mode: "100644", text: "two\n" }]]);
  const changes = changesBetween(base, final);
  for (const staged of [[], ["", "other\n"]]) {
    const root = layJournal(base, changes, staged);
    await assert.rejects(directoryTarget({ root, files: nodeDirectoryFiles(), uncommitted }).recover(), {
      code: "content_mismatch",
    });
    assert.deepEqual(sorted(readTree(root)), sorted(base));
  }
});

test("a directory into which nothing can be renamed is found before anything is changed", async () => {
  const base: Tree = new Map([
    ["a", { mode: "100644", text: "one\n" }],
    ["mounted/b", { mode: "100644", text: "one\n" }],
  ]);
  const final: Tree = new Map([
    ["a", { mode: "100644", text: "two\n" }],
    ["mounted/deep/c", { mode: "100644", text: "two\n" }],
  ]);
  const apply = { digest: "d", changes: changesBetween(base, final), content: contentOf(final) };
  for (const obstacle of ["other_file_system", "not_writable"] as const) {
    const root = layTree(base);
    const files: DirectoryFiles = {
      ...nodeDirectoryFiles(),
      renameObstacle: async (_, into) => (into === join(root, "mounted") ? obstacle : undefined),
    };
    const target = directoryTarget({ root, files, uncommitted });
    await assert.rejects(target.apply(apply), {
      code: "path_refused",
      message: /mounted.*nothing was changed/s,
    });
    assert.deepEqual(await target.recover(), {});
    assert.deepEqual(sorted(readTree(root)), sorted(base));
  }
});

test("a directory on another file system, or one that its permissions close, is an obstacle to a rename", async () => {
  const files = nodeDirectoryFiles();
  const closed = mkdtempSync(join(dir, "closed-"));
  assert.equal(await files.renameObstacle(dir, closed), undefined);
  assert.equal(await files.renameObstacle(dir, "/dev"), "other_file_system");
  if (process.getuid?.() === 0) return; // Root may write everywhere.
  chmodSync(closed, 0o555);
  assert.equal(await files.renameObstacle(dir, closed), "not_writable");
});
