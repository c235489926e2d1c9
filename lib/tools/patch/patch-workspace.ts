import { gitBlobId } from "../../content/content-state.ts";
import type { FileMode } from "../../tree/file-state.ts";
import { checkPath } from "../../tree/path-rules.ts";
import { pathExists, pathNotFound, quoted, refusal } from "../../workspace/refusals.ts";
import type { ToolWorkspace } from "../../workspace/tool-workspace.ts";
import { ToolError } from "../tool-error.ts";
import type { WorkBudget } from "../work-budget.ts";
import { applyDelta } from "./apply-delta.ts";
import { applyHunks } from "./apply-hunks.ts";
import type { FilePatch } from "./file-patch.ts";
import { patchFailed } from "./patch-failed.ts";

interface PatchedFile {
  readonly mode: FileMode;
  readonly bytes: Uint8Array;
}

/**
 * Applies the files of a patch together: everything is worked out before anything is written. Renames and copies read what
 * stood before the patch, so their order does not matter; other parts build on what earlier ones made of their path. Spends
 * the bytes of every file before and after. Answers one line for each file.
 */
export const patchWorkspace = async (
  workspace: ToolWorkspace,
  patches: readonly FilePatch[],
  budget: WorkBudget,
): Promise<readonly string[]> => {
  /** `undefined`: the patch removes it. */
  const results = new Map<string, PatchedFile | undefined>();
  const leaving = new Set(
    patches.filter(({ kind }) => kind === "delete" || kind === "rename").map(({ oldPath }) => oldPath),
  );
  for (const patch of patches) {
    checkPath(patch.oldPath);
    checkPath(patch.newPath);
    const { kind, oldPath, newPath } = patch;
    const before = kind === "create" ? undefined : await source(workspace, patch, results);
    if (kind !== "change" && kind !== "delete") {
      const taken = results.has(newPath)
        ? results.get(newPath) !== undefined
        : !leaving.has(newPath) && (await stands(workspace, newPath, leaving));
      if (taken) throw pathExists(newPath, (await workspace.info(newPath)) ?? { kind: "directory" });
    }
    await budget.spend(before?.bytes.byteLength ?? 0);
    const after = patched(patch, before);
    await budget.spend(after?.bytes.byteLength ?? 0);
    if (kind === "rename" && !(results.has(oldPath) && results.get(oldPath) !== undefined)) {
      results.set(oldPath, undefined);
    }
    results.set(newPath, after);
  }
  await write(workspace, results);
  return patches.map(summary);
};

/** What a part of the patch starts from. */
const source = async (
  workspace: ToolWorkspace,
  { kind, oldPath, patchLine }: FilePatch,
  results: ReadonlyMap<string, PatchedFile | undefined>,
): Promise<PatchedFile> => {
  if (results.has(oldPath) && (kind === "change" || kind === "delete")) {
    const earlier = results.get(oldPath);
    if (earlier !== undefined) return earlier;
    throw patchFailed(`it changes ${quoted(oldPath)} after it removed it`, { patchLine, path: oldPath });
  }
  const found = await fileAt(workspace, oldPath);
  if (found !== undefined) return found;
  if ((await workspace.info(oldPath)) === undefined) throw pathNotFound(oldPath, workspace.resource);
  throw refusal("is_a_directory", `${quoted(oldPath)} is a directory; a patch changes files.`, oldPath);
};

/** A file or link; `undefined` for nothing and for a directory. */
const fileAt = async (workspace: ToolWorkspace, path: string): Promise<PatchedFile | undefined> => {
  const node = await workspace.info(path);
  if (node?.kind === "file") return { mode: node.mode, bytes: (await workspace.readFile(path)).bytes };
  if (node?.kind === "symlink") return { mode: "120000", bytes: await workspace.readLink(path) };
  return undefined;
};

/** Whether something is in the way of a new file; a directory that the patch empties is not. */
const stands = async (
  workspace: ToolWorkspace,
  path: string,
  leaving: ReadonlySet<string>,
): Promise<boolean> => {
  // A file that leaves may have stood where the new path needs a directory.
  const above = path.split("/").slice(0, -1);
  if (above.some((_, length) => leaving.has(above.slice(0, length + 1).join("/")))) return false;
  const node = await workspace.info(path);
  if (node?.kind !== "directory") return node !== undefined;
  const below = [...(await workspace.walk(path))].filter(([, child]) => child.kind !== "directory");
  return below.length === 0 || below.some(([child]) => !leaving.has(child));
};

const patched = (patch: FilePatch, before: PatchedFile | undefined): PatchedFile | undefined => {
  const { kind, newPath, patchLine, oldMode, newMode } = patch;
  if (before !== undefined && oldMode !== undefined && isLink(before.mode) !== isLink(oldMode)) {
    throw patchFailed(
      `${quoted(patch.oldPath)} is a ${isLink(before.mode) ? "symbolic link" : "file"}, not what the patch changes`,
      { patchLine, path: patch.oldPath },
    );
  }
  const bytes = patchedBytes(patch, before?.bytes ?? new Uint8Array());
  if (kind === "delete") {
    if (bytes.byteLength === 0) return undefined;
    throw patchFailed(`it deletes ${quoted(newPath)}, but leaves lines of it`, { patchLine, path: newPath });
  }
  const mode = newMode ?? before?.mode ?? "100644";
  if (before !== undefined && isLink(before.mode) !== isLink(mode)) {
    throw patchFailed(
      `it turns ${quoted(newPath)} into another type; that takes a deletion and a creation, as git writes it`,
      { patchLine, path: newPath },
    );
  }
  return { mode, bytes };
};

const isLink = (mode: FileMode): boolean => mode === "120000";

const patchedBytes = (patch: FilePatch, before: Uint8Array): Uint8Array => {
  const { binary, blobIds, patchLine, oldPath: path } = patch;
  if (binary === undefined) {
    // A deletion or a creation without hunks is that of an empty file.
    return applyHunks(path, before, patch.hunks);
  }
  if (blobIds === undefined) {
    throw patchFailed(
      "a binary patch needs an index line with full ids; make it with git diff --binary --full-index",
      {
        patchLine,
        path,
      },
    );
  }
  if (patch.kind !== "create" && gitBlobId(before) !== blobIds.before) {
    throw patchFailed(`${quoted(path)} has other content than the binary patch was made for`, {
      patchLine,
      path,
    });
  }
  if (patch.kind === "delete") return new Uint8Array();
  const after = binary.method === "literal" ? binary.bytes : applyDelta(before, binary.bytes);
  if (after !== undefined && gitBlobId(after) === blobIds.after) return after;
  throw patchFailed(`the binary patch of ${quoted(path)} is damaged`, { patchLine, path });
};

const write = async (
  workspace: ToolWorkspace,
  results: ReadonlyMap<string, PatchedFile | undefined>,
): Promise<void> => {
  const removed: string[] = [];
  for (const [path, after] of results) {
    const before = await fileAt(workspace, path).catch((error: unknown) => {
      // Below a file or link that this patch removes there was nothing.
      if (after !== undefined && isBelowNoDirectory(error)) return undefined;
      throw error;
    });
    if (before === undefined || (after !== undefined && !isLink(before.mode) && !isLink(after.mode)))
      continue;
    await workspace.remove(path);
    removed.push(path);
  }
  for (const [path, after] of results) {
    if (after === undefined) continue;
    if (removed.some((gone) => gone.startsWith(`${path}/`))) await removeEmptied(workspace, path);
    if (isLink(after.mode)) await workspace.createLink(path, linkTarget(path, after.bytes));
    else await workspace.writeFile(path, after.bytes, after.mode === "100755" ? "100755" : "100644");
  }
};

const isBelowNoDirectory = (error: unknown): boolean =>
  error instanceof ToolError && (error.code === "not_a_directory" || error.code === "symlink_refused");

/** A directory that the patch emptied makes room for a file of its name. */
const removeEmptied = async (workspace: ToolWorkspace, path: string): Promise<void> => {
  if ((await workspace.info(path))?.kind !== "directory") return;
  const below = await workspace.walk(path);
  if ([...below.values()].every(({ kind }) => kind === "directory"))
    await workspace.remove(path, { recursive: true });
};

const linkTarget = (path: string, bytes: Uint8Array): string => {
  const target = Buffer.from(bytes).toString();
  if (Buffer.from(target).equals(bytes)) return target;
  throw refusal("path_refused", `The target of the symbolic link ${quoted(path)} is not UTF-8.`, path);
};

const summary = ({ kind, oldPath, newPath }: FilePatch): string => {
  switch (kind) {
    case "create":
      return `Created ${quoted(newPath)}.`;
    case "change":
      return `Changed ${quoted(newPath)}.`;
    case "delete":
      return `Deleted ${quoted(oldPath)}.`;
    case "rename":
      return `Moved ${quoted(oldPath)} to ${quoted(newPath)}.`;
    case "copy":
      return `Copied ${quoted(oldPath)} to ${quoted(newPath)}.`;
    default:
      return kind satisfies never;
  }
};
