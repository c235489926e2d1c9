import type { ChangeEntry } from "../changeset/change-entry.ts";
import { changeKind } from "../changeset/change-kind.ts";
import { ToolError } from "../tools/tool-error.ts";
import { byteOrder } from "../tree/byte-order.ts";
import type { TreeDifference } from "../tree/tree-difference.ts";
import type { WorkspaceSnapshot } from "../workspace/workspace-snapshot.ts";

export interface CapturedChanges {
  /** In byte order of the paths, those of one path by resource. */
  readonly entries: readonly ChangeEntry[];
  readonly contents: ReadonlyMap<string, Uint8Array>;
}

/**
 * What one call changed, by comparing the workspaces before and after it, with the bytes of both sides. A resource that the
 * plan reads only must be as it was: a change there (of a tool that wrote past its workspace) is a `ToolError`
 * (`read_only_resource`).
 */
export const captureChanges = async (
  call: { readonly decisionId: string; readonly callOrdinal: number },
  resources: ReadonlyMap<string, { readonly access: "read" | "write" }>,
  sides: {
    readonly before: ReadonlyMap<string, WorkspaceSnapshot>;
    readonly after: ReadonlyMap<string, WorkspaceSnapshot>;
  },
): Promise<CapturedChanges> => {
  const entries: ChangeEntry[] = [];
  const contents = new Map<string, Uint8Array>();
  const keep = async (snapshot: WorkspaceSnapshot, sha256: string | undefined): Promise<void> => {
    if (sha256 !== undefined && !contents.has(sha256)) contents.set(sha256, await snapshot.content(sha256));
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
      await keep(before, from?.sha256);
      await keep(after, to?.sha256);
      entries.push({ ...call, resource, path, kind, before: from ?? null, after: to ?? null });
    }
  }
  entries.sort((a, b) => byteOrder(a.path, b.path) || byteOrder(a.resource, b.resource));
  return { entries, contents };
};

const wroteToReadOnly = (resource: string, { path }: TreeDifference): ToolError =>
  new ToolError({
    code: "read_only_resource",
    message: `The tool changed ${JSON.stringify(path)} in the resource ${JSON.stringify(resource)}, which the plan binds for reading only.`,
    details: { resource, path },
  });
