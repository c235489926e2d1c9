import type { ChangeEntry } from "../changeset/change-entry.ts";
import { changeKind } from "../changeset/change-kind.ts";
import { ToolError } from "../tools/tool-error.ts";
import { byteOrder } from "../tree/byte-order.ts";
import type { FileState } from "../tree/file-state.ts";
import type { TreeDifference } from "../tree/tree-difference.ts";
import type { WorkspaceSnapshot } from "../workspace/workspace-snapshot.ts";

export interface CapturedChanges {
  /** In byte order of the paths, those of one path by resource. */
  readonly entries: readonly ChangeEntry[];
  readonly contents: ReadonlyMap<string, Uint8Array>;
}

/** Of content that the calls of one decision change together: it is held in memory until the decision is final. */
export const maxChangedBytes = 128 * 1024 * 1024;

/**
 * Which content before is given along: all of it, or, where it is kept elsewhere already, only that of files up to a size
 * which other content replaced, so that this can be kept as a delta over it.
 */
export type ContentBefore = "all" | { readonly replacedUpToBytes: number };

const isWanted = (wanted: ContentBefore, from: FileState, to: FileState | undefined): boolean =>
  wanted === "all" || (to !== undefined && from.sizeBytes <= wanted.replacedUpToBytes);

/**
 * What one call changed, by comparing the workspaces before and after it, with the bytes after it, and those before it
 * that are wanted. A resource that the plan reads only must be as it was: a change there (of a tool that wrote past its workspace)
 * is a `ToolError` (`read_only_resource`). So is content of more than `roomBytes` (`limit_exceeded`), which is not loaded.
 */
export const captureChanges = async (
  call: { readonly decisionId: string; readonly callOrdinal: number },
  resources: ReadonlyMap<string, { readonly access: "read" | "write" }>,
  sides: {
    readonly before: ReadonlyMap<string, WorkspaceSnapshot>;
    readonly after: ReadonlyMap<string, WorkspaceSnapshot>;
    readonly contentBefore: ContentBefore;
    readonly roomBytes: number;
  },
): Promise<CapturedChanges> => {
  const entries: ChangeEntry[] = [];
  const contents = new Map<string, Uint8Array>();
  let keptBytes = 0;
  const keep = async (snapshot: WorkspaceSnapshot, file: FileState): Promise<void> => {
    if (contents.has(file.sha256)) return;
    contents.set(file.sha256, await snapshot.content(file.sha256));
  };
  const keepAfter = async (snapshot: WorkspaceSnapshot, file: FileState): Promise<void> => {
    if (!contents.has(file.sha256)) keptBytes += file.sizeBytes;
    if (keptBytes > sides.roomBytes) throw changedTooMuch();
    await keep(snapshot, file);
  };
  for (const [resource, { access }] of resources) {
    const before = sides.before.get(resource);
    const after = sides.after.get(resource);
    if (before === undefined || after === undefined) continue;
    const changes = await after.changesSince(before);
    const [change] = changes;
    if (access === "read" && change !== undefined) throw wroteToReadOnly(resource, change);
    for (const { path, before: from, after: to } of changes) {
      const kind = changeKind(from, to);
      if (kind === undefined) continue;
      if (from !== undefined && isWanted(sides.contentBefore, from, to)) await keep(before, from);
      if (to !== undefined) await keepAfter(after, to);
      entries.push({ ...call, resource, path, kind, before: from ?? null, after: to ?? null });
    }
  }
  entries.sort((a, b) => byteOrder(a.path, b.path) || byteOrder(a.resource, b.resource));
  return { entries, contents };
};

const changedTooMuch = (): ToolError =>
  new ToolError({
    code: "limit_exceeded",
    message: `The calls of one decision may change files of ${maxChangedBytes} bytes together; split it into several decisions.`,
    details: { limit: maxChangedBytes },
  });

const wroteToReadOnly = (resource: string, { path }: TreeDifference): ToolError =>
  new ToolError({
    code: "read_only_resource",
    message: `The tool changed ${JSON.stringify(path)} in the resource ${JSON.stringify(resource)}, which the plan binds for reading only.`,
    details: { resource, path },
  });
