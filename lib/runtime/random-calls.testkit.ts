import fc from "fast-check";
import { fileDiff } from "../diff/file-diff.ts";
import type { ToolRequest } from "../tools/tool-runner.ts";
import type { FileTree } from "../tree/file-tree.testkit.ts";
import { randomBytes, randomName, randomPath } from "../tree/random-tree.testkit.ts";

/** A path of a random call: one that stands in the base, one below or above it, or any. */
const pathIn = (base: FileTree): fc.Arbitrary<string> => {
  const standing = [...base.keys()];
  const above = standing.flatMap((path) =>
    path.split("/").map((_, index, names) => names.slice(0, index + 1).join("/")),
  );
  const any = fc.oneof(
    randomPath,
    randomName,
    fc.constantFrom("new/dir", "new/dir/file", "a", "a/b", "../x", ".git/config", "a//b"),
  );
  if (above.length === 0) return any;
  return fc.oneof(
    { weight: 4, arbitrary: fc.constantFrom(...above) },
    { weight: 2, arbitrary: fc.constantFrom(...standing) },
    { weight: 1, arbitrary: fc.tuple(fc.constantFrom(...above), randomName).map((names) => names.join("/")) },
    { weight: 2, arbitrary: any },
  );
};

/** Mostly a file that stands in the base. */
const fileIn = (base: FileTree): fc.Arbitrary<string> => {
  const files = [...base].filter(([, { mode }]) => mode !== "120000").map(([path]) => path);
  if (files.length === 0) return pathIn(base);
  return fc.oneof(
    { weight: 6, arbitrary: fc.constantFrom(...files) },
    { weight: 1, arbitrary: pathIn(base) },
  );
};

/** Mostly a path where nothing stands. */
const freshIn = (base: FileTree): fc.Arbitrary<string> =>
  fc.oneof(
    { weight: 3, arbitrary: randomName.map((name) => `fresh/${name}`) },
    { weight: 3, arbitrary: randomPath.map((path) => `fresh ${path}`) },
    { weight: 1, arbitrary: pathIn(base) },
  );

/** An edit that fits, of a piece of a text file that occurs once; where there is none, one that may. */
const randomEdit = (base: FileTree) => {
  const fitting = [...base].flatMap(([path, { mode, bytes }]) => {
    const text = Buffer.from(bytes).toString();
    if (mode === "120000" || !Buffer.from(text).equals(bytes)) return [];
    return [...new Set(text.split(/(?<=\n)/))]
      .filter((line) => line !== "" && text.indexOf(line) === text.lastIndexOf(line))
      .map((oldText) => ({ path, oldText }));
  });
  const newText = fc.constantFrom("", "x", "new\r\nlines\n", "é");
  const any = fc.record({
    path: fileIn(base),
    oldText: fc.constantFrom("x", "y", "return 1;", "}\n", "\r\n", "tail"),
  });
  const place =
    fitting.length === 0 ? any : fc.oneof({ weight: 4, arbitrary: fc.constantFrom(...fitting) }, any);
  return fc.tuple(place, newText).map(([{ path, oldText }, text]) => ({
    tool: "edit_file",
    input: { path, edits: [{ oldText, newText: text }] },
  }));
};

/** A patch that fits a file of the base as it stood at first: other bytes, gone, or a new one. */
const randomPatch = (base: FileTree) => {
  const [first, ...others] = [...base].filter(([, { mode }]) => mode !== "120000");
  const created = fc
    .record({ path: freshIn(base), bytes: randomBytes })
    .map(({ path, bytes }) => fileDiff({ path, before: null, after: { mode: "100755", bytes } }));
  const changed =
    first === undefined
      ? created
      : fc
          .tuple(fc.constantFrom(first, ...others), fc.option(randomBytes))
          .map(([[path, before], bytes]) =>
            fileDiff({ path, before, after: bytes === null ? null : { mode: before.mode, bytes } }),
          );
  return fc.oneof(created, { weight: 3, arbitrary: changed }).map((patch) => ({
    tool: "apply_patch",
    input: { patch: Buffer.from(patch).toString("base64"), encoding: "base64" },
  }));
};

/** Calls of every built-in workspace tool, most of which can succeed on this tree. */
const randomCall = (base: FileTree): fc.Arbitrary<ToolRequest> => {
  const path = pathIn(base);
  const file = fileIn(base);
  const call = (tool: string, input: Readonly<Record<string, fc.Arbitrary<unknown>>>) =>
    fc.record(input, { requiredKeys: Object.keys(input) }).map((made) => ({ tool, input: made }));
  const base64 = randomBytes.map((bytes) => Buffer.from(bytes).toString("base64"));
  return fc.oneof(
    {
      weight: 4,
      arbitrary: call("write_file", {
        path: fc.oneof(file, freshIn(base), path),
        content: base64,
        encoding: fc.constant("base64"),
      }),
    },
    {
      weight: 1,
      arbitrary: call("write_file", { path, content: fc.constantFrom("", "x\r\ny\n", "\ufefftext") }),
    },
    { weight: 3, arbitrary: randomEdit(base) },
    { weight: 2, arbitrary: randomPatch(base) },
    { weight: 3, arbitrary: call("move_file", { source: path, destination: freshIn(base) }) },
    { weight: 2, arbitrary: call("delete_file", { path, recursive: fc.constantFrom(true, true, false) }) },
    { weight: 1, arbitrary: call("create_directory", { path }) },
    {
      weight: 2,
      arbitrary: call("set_file_mode", { path: file, mode: fc.constantFrom("100644", "100755") }),
    },
    {
      weight: 1,
      arbitrary: call("create_symlink", {
        path: freshIn(base),
        target: fc.constantFrom("nowhere", "x/y", "../nowhere", "/etc", "../../../../../../up"),
      }),
    },
    { weight: 1, arbitrary: call("read_text_file", { path: file }) },
    { weight: 1, arbitrary: call("list_directory", { path: fc.oneof(path, fc.constant(".")) }) },
    { weight: 1, arbitrary: call("get_file_info", { path }) },
    {
      weight: 1,
      arbitrary: call("search_files", {
        path: fc.oneof(path, fc.constant(".")),
        pattern: fc.constantFrom("**", "*", "**/*a*", "{src,a}/**"),
      }),
    },
  );
};

/** A few decisions of one to three calls each. */
export const randomDecisions = (base: FileTree): fc.Arbitrary<readonly (readonly ToolRequest[])[]> =>
  fc.array(fc.array(randomCall(base), { minLength: 1, maxLength: 3 }), { minLength: 1, maxLength: 8 });
