import type { FileMode } from "../../tree/file-state.ts";
import type { BinaryBody, FilePatch, Hunk } from "./file-patch.ts";
import { patchFailed } from "./patch-failed.ts";
import { barePath, headerPath, sidePath } from "./patch-path.ts";
import type { PatchReader } from "./patch-reader.ts";
import { readBinary } from "./read-binary.ts";
import { isHunkHeader, readHunk } from "./read-hunk.ts";

/**
 * The files of a unified diff, in its order: plain (`---`, `+++`, hunks) or with git's extended headers. Text around them,
 * such as a mail's, is skipped. Throws `patch_failed` with the line for what cannot be read, and for a patch without files.
 */
export const parsePatch = (reader: PatchReader): readonly FilePatch[] => {
  const patches: FilePatch[] = [];
  for (let line = reader.peek(); line !== undefined; line = reader.peek()) {
    if (line.startsWith("diff --git ") || line.startsWith("--- ")) patches.push(readFilePatch(reader));
    else if (isHunkHeader(line)) {
      throw patchFailed("a hunk has no --- and +++ lines before it", { patchLine: reader.line() });
    } else reader.next();
  }
  if (patches.length === 0) {
    throw patchFailed(
      "it holds no diff; write one as git diff does, with --- a/path, +++ b/path and @@ lines",
    );
  }
  return patches;
};

/** What the lines before a file's hunks say. */
interface Header {
  readonly patchLine: number;
  readonly isGit: boolean;
  path?: string | undefined;
  oldMode?: FileMode;
  newMode?: FileMode;
  creates?: boolean;
  deletes?: boolean;
  from?: { readonly kind: "rename" | "copy"; readonly path: string };
  to?: string;
  /** `null` is `/dev/null`. */
  oldSide?: string | null;
  newSide?: string | null;
  blobIds?: { readonly before: string; readonly after: string };
}

const readFilePatch = (reader: PatchReader): FilePatch => {
  const patchLine = reader.line();
  const first = reader.peek() ?? "";
  const header: Header = { patchLine, isGit: first.startsWith("diff --git ") };
  if (header.isGit) {
    reader.next();
    header.path = headerPath(first.slice("diff --git ".length), patchLine);
  }
  let binary: BinaryBody | undefined;
  for (let line = reader.peek(); line !== undefined; line = reader.peek()) {
    if (line === "GIT binary patch") {
      reader.next();
      binary = readBinary(reader);
      break;
    }
    if (/^Binary files .* differ$/.test(line)) {
      throw patchFailed("it names a binary file without its data; make it with git diff --binary", {
        patchLine: reader.line(),
      });
    }
    if (!readHeaderLine(header, line, reader.line())) break;
    reader.next();
    if (line.startsWith("+++ ")) break;
  }
  const hunks: Hunk[] = [];
  while (binary === undefined && isHunkHeader(reader.peek())) hunks.push(readHunk(reader));
  return { ...filePatch(header), hunks, ...(binary === undefined ? {} : { binary }) };
};

/** `false` for a line that is no part of a header. */
const readHeaderLine = (header: Header, line: string, patchLine: number): boolean => {
  const rest = (prefix: string): string | undefined =>
    line.startsWith(prefix) ? line.slice(prefix.length) : undefined;
  let value = rest("--- ");
  if (value !== undefined) {
    header.oldSide = sidePath(value, "a/", patchLine) ?? null;
    return true;
  }
  value = rest("+++ ");
  if (value !== undefined) {
    header.newSide = sidePath(value, "b/", patchLine) ?? null;
    return true;
  }
  if (!header.isGit) return false;
  if (line.startsWith("similarity index ") || line.startsWith("dissimilarity index ")) return true;
  const mode = /^(old mode|new mode|deleted file mode|new file mode) (.*)$/.exec(line);
  if (mode !== null) {
    const parsed = fileMode(mode[2] ?? "", patchLine);
    if (mode[1] === "old mode" || mode[1] === "deleted file mode") header.oldMode = parsed;
    else header.newMode = parsed;
    if (mode[1] === "deleted file mode") header.deletes = true;
    if (mode[1] === "new file mode") header.creates = true;
    return true;
  }
  const moved = /^(rename|copy) (from|to) (.*)$/.exec(line);
  if (moved !== null) {
    const path = barePath(moved[3] ?? "", patchLine);
    if (moved[2] === "to") header.to = path;
    else header.from = { kind: moved[1] === "copy" ? "copy" : "rename", path };
    return true;
  }
  const index = /^index ([0-9a-f]{4,64})\.\.([0-9a-f]{4,64})(?: (\d+))?$/.exec(line);
  if (index === null) return false;
  const [, before = "", after = "", indexMode] = index;
  if (before.length === 40 && after.length === 40) header.blobIds = { before, after };
  if (indexMode !== undefined) header.oldMode = fileMode(indexMode, patchLine);
  return true;
};

const fileMode = (text: string, patchLine: number): FileMode => {
  if (text === "100644" || text === "100755" || text === "120000") return text;
  throw patchFailed(
    text === "160000"
      ? "it holds a submodule link (mode 160000), which no tree takes"
      : `the mode ${text} is unknown; allowed are 100644, 100755 and 120000`,
    { patchLine },
  );
};

const filePatch = (header: Header): Omit<FilePatch, "hunks" | "binary"> => {
  const { patchLine, from, to } = header;
  const incomplete = () => patchFailed("the headers of a file do not say which path is meant", { patchLine });
  const common = {
    patchLine,
    ...(header.oldMode === undefined ? {} : { oldMode: header.oldMode }),
    ...(header.newMode === undefined ? {} : { newMode: header.newMode }),
    ...(header.blobIds === undefined ? {} : { blobIds: header.blobIds }),
  };
  if (from !== undefined || to !== undefined) {
    if (from === undefined || to === undefined) throw incomplete();
    return { ...common, kind: from.kind, oldPath: from.path, newPath: to };
  }
  if (!header.isGit && (header.oldSide === undefined || header.newSide === undefined)) throw incomplete();
  const creates = header.creates === true || header.oldSide === null;
  const deletes = header.deletes === true || header.newSide === null;
  const oldPath = header.oldSide ?? header.path ?? header.newSide;
  const newPath = header.newSide ?? header.path ?? header.oldSide;
  if (typeof oldPath !== "string" || typeof newPath !== "string" || (creates && deletes)) throw incomplete();
  if (oldPath !== newPath) {
    throw patchFailed(
      `it names ${JSON.stringify(oldPath)} and ${JSON.stringify(newPath)} for one file; a rename needs rename from and rename to lines`,
      { patchLine },
    );
  }
  return { ...common, kind: creates ? "create" : deletes ? "delete" : "change", oldPath, newPath };
};
