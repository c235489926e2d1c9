import fc from "fast-check";
import type { FileMode } from "./file-state.ts";
import { type FileTree, type TestFile, withFile, withoutFile } from "./file-tree.testkit.ts";
import { pathRefusal } from "./path-rules.ts";

/**
 * Random trees with what is hard in them: names with spaces, quotes, tabs, newlines, non-ASCII, ` b/`; few enough that files
 * and directories take each other's places; contents with CRLF, BOM, NUL, ill-formed UTF-8, no final newline, nothing.
 */
const knownNames = [
  "a",
  "a b",
  "x b",
  "b",
  "a.b",
  "a-",
  "src",
  'quo"te',
  "tab\t",
  "line\nbreak",
  "cr\r",
  " lead",
  "trail ",
  "é",
  "e\u0301",
  "日本",
  "\u{1d4b3}",
  "\ufffd\ue000",
  "\ufeffmark",
  "-dash",
  "\x01\x7f",
  "dev",
  "null",
  "'",
  "$(x)*?[",
];

export const randomName: fc.Arbitrary<string> = fc.oneof(
  { weight: 6, arbitrary: fc.constantFrom(...knownNames) },
  {
    weight: 1,
    arbitrary: fc
      .string({ unit: "grapheme", minLength: 1, maxLength: 8 })
      .filter((name) => !name.includes("/") && pathRefusal(name) === undefined),
  },
);

export const randomPath: fc.Arbitrary<string> = fc
  .oneof(
    { weight: 9, arbitrary: fc.array(randomName, { minLength: 1, maxLength: 4 }) },
    { weight: 1, arbitrary: fc.array(randomName, { minLength: 5, maxLength: 30 }) },
  )
  .map((names) => names.join("/"))
  .filter((path) => pathRefusal(path) === undefined);

const bytesOf = (text: string): Uint8Array => Buffer.from(text, "latin1");

const randomLine = fc
  .tuple(
    fc.constantFrom(
      "",
      "x",
      "y",
      "}",
      "  return 1;",
      "-- sql",
      "+++ b/x",
      "\\ No newline",
      "\xe9\xff",
      "\xc3\xa9",
      "@@",
    ),
    fc.constantFrom("\n", "\n", "\n", "\r\n", "\r"),
  )
  .map(([text, end]) => text + end);

export const randomText: fc.Arbitrary<string> = fc
  .tuple(
    fc.constantFrom("", "", "\xef\xbb\xbf"),
    fc.oneof(fc.array(randomLine, { maxLength: 12 }), fc.array(randomLine, { maxLength: 60, size: "max" })),
    fc.constantFrom("", "", "tail", "\r", "\xff"),
  )
  .map(([mark, lines, tail]) => mark + lines.join("") + tail);

/** Bytes of a file: text mostly, then binary, a NUL too late for git to see, nothing. */
export const randomBytes: fc.Arbitrary<Uint8Array> = fc.oneof(
  { weight: 8, arbitrary: randomText.map(bytesOf) },
  { weight: 2, arbitrary: fc.uint8Array({ maxLength: 200 }) },
  { weight: 1, arbitrary: randomText.map((text) => bytesOf(`${text}\0${text}`)) },
  { weight: 1, arbitrary: randomText.map((text) => bytesOf(`${"filler\n".repeat(1200)}\0${text}\0\n`)) },
  { weight: 1, arbitrary: fc.constant(new Uint8Array()) },
);

const linkTarget: fc.Arbitrary<Uint8Array> = fc.oneof(
  randomPath.map((path) => Buffer.from(path)),
  fc.constantFrom("..", "/etc", "a\n", "\xff", "no b/target").map(bytesOf),
);

export const randomFile: fc.Arbitrary<TestFile> = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.record({ mode: fc.constantFrom<FileMode>("100644", "100755"), bytes: randomBytes }),
  },
  { weight: 1, arbitrary: fc.record({ mode: fc.constant<FileMode>("120000"), bytes: linkTarget }) },
);

/** Links that may lead through links point nowhere instead: git gives up where it finds a loop in its way. */
const withoutLinkLoops = (tree: FileTree): FileTree => {
  const links = new Set(
    [...tree].filter(([, file]) => file.mode === "120000").map(([path]) => path.split("/").at(-1)),
  );
  const tangled = ({ mode, bytes }: TestFile): boolean =>
    mode === "120000" &&
    Buffer.from(bytes)
      .toString()
      .split("/")
      .some((name) => links.has(name));
  return new Map(
    [...tree].map(([path, file]) => [path, tangled(file) ? { ...file, bytes: bytesOf("nowhere") } : file]),
  );
};

const placeAll = (files: readonly (readonly [string, TestFile])[]): FileTree =>
  withoutLinkLoops(files.reduce<FileTree>((tree, [path, file]) => withFile(tree, path, file), new Map()));

export const randomTree: fc.Arbitrary<FileTree> = fc
  .array(fc.tuple(randomPath, randomFile), { maxLength: 12 })
  .map(placeAll);

/** One step from a tree to another; `pick` chooses among the files there are. */
type TreeStep =
  | { readonly kind: "put"; readonly path: string; readonly file: TestFile }
  | {
      readonly kind: "below" | "replace";
      readonly pick: number;
      readonly name: string;
      readonly file: TestFile;
    }
  | { readonly kind: "remove" | "mode"; readonly pick: number }
  | { readonly kind: "move"; readonly pick: number; readonly path: string }
  | {
      readonly kind: "edit";
      readonly pick: number;
      readonly at: number;
      readonly remove: number;
      readonly insert: string;
    };

const pick = fc.nat({ max: 1000 });
const randomStep: fc.Arbitrary<TreeStep> = fc.oneof(
  fc.record({ kind: fc.constant("put" as const), path: randomPath, file: randomFile }),
  fc.record({
    kind: fc.constantFrom("below" as const, "replace" as const),
    pick,
    name: randomName,
    file: randomFile,
  }),
  fc.record({ kind: fc.constantFrom("remove" as const, "mode" as const), pick }),
  fc.record({ kind: fc.constant("move" as const), pick, path: randomPath }),
  fc.record({
    kind: fc.constant("edit" as const),
    pick,
    at: fc.nat({ max: 80 }),
    remove: fc.nat({ max: 3 }),
    insert: randomText,
  }),
);

const takeStep = (tree: FileTree, step: TreeStep): FileTree => {
  if (step.kind === "put") return withFile(tree, step.path, step.file);
  const found = [...tree][step.pick % Math.max(tree.size, 1)];
  if (found === undefined) return tree;
  const [path, file] = found;
  switch (step.kind) {
    case "below":
      return pathRefusal(`${path}/${step.name}`) === undefined
        ? withFile(tree, `${path}/${step.name}`, step.file)
        : tree;
    case "replace":
      return withFile(tree, path.split("/").slice(0, -1).join("/") || path, step.file);
    case "remove":
      return withoutFile(tree, path);
    case "mode":
      return file.mode === "120000"
        ? tree
        : withFile(tree, path, { ...file, mode: file.mode === "100644" ? "100755" : "100644" });
    case "move":
      return withFile(withoutFile(tree, path), step.path, file);
    case "edit":
      return file.mode === "120000"
        ? tree
        : withFile(tree, path, { ...file, bytes: editLines(file.bytes, step) });
  }
};

const editLines = (
  bytes: Uint8Array,
  step: { readonly at: number; readonly remove: number; readonly insert: string },
): Uint8Array => {
  const lines = Buffer.from(bytes)
    .toString("latin1")
    .split(/(?<=\n)/);
  lines.splice(step.at % (lines.length + 1), step.remove, step.insert);
  return bytesOf(lines.join(""));
};

/** A tree and what some edits, moves, removals and changes of type made of it. */
export const randomTreeChange: fc.Arbitrary<{ readonly base: FileTree; readonly final: FileTree }> = fc
  .record({ base: randomTree, steps: fc.array(randomStep, { maxLength: 8 }) })
  .map(({ base, steps }) => ({ base, final: withoutLinkLoops(steps.reduce(takeStep, base)) }));

/** At most so many changes stand in one tree of `randomTreeChanges`; half of it on average. */
export const changesPerTree = 16;

/**
 * Several random changes side by side in one tree, the first at its root, each further one in a directory of its own: as many
 * cases for one round of git.
 */
export const randomTreeChanges: fc.Arbitrary<{ readonly base: FileTree; readonly final: FileTree }> = fc
  .array(randomTreeChange, { minLength: 1, maxLength: changesPerTree, size: "max" })
  .map((changes) => ({
    base: beside(changes.map((change) => change.base)),
    final: beside(changes.map((change) => change.final)),
  }));

const beside = (trees: readonly FileTree[]): FileTree =>
  new Map(
    trees.flatMap((tree, index) =>
      [...tree].map(([path, file]) => [index === 0 ? path : `beside ${index}/${path}`, file] as const),
    ),
  );

/** A tree, what a plan made of it, what others made of the same tree, and what others made of the plan's. */
export interface TreeHistory {
  readonly base: FileTree;
  readonly planned: FileTree;
  readonly moved: FileTree;
  readonly later: FileTree;
}

export const randomTreeHistory: fc.Arbitrary<TreeHistory> = fc
  .record({
    base: randomTree,
    plan: fc.array(randomStep, { maxLength: 6 }),
    others: fc.array(randomStep, { maxLength: 4 }),
  })
  .map(({ base, plan, others }) => {
    const planned = withoutLinkLoops(plan.reduce(takeStep, base));
    const moved = withoutLinkLoops(others.reduce(takeStep, base));
    return { base, planned, moved, later: withoutLinkLoops(others.reduce(takeStep, planned)) };
  });
