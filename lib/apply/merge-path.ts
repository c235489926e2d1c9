import { changeKind } from "../changeset/change-kind.ts";
import { contentState } from "../content/content-state.ts";
import { mergeLines } from "../merge/merge-lines.ts";
import { maxFileSizeBytes } from "../tree/file-limit.ts";
import type { FileState } from "../tree/file-state.ts";
import type { MergeConflictReason, NetChange } from "./net-change.ts";

type State = FileState | null;

/** What a path becomes in the target: its state, with the bytes where they are new; or why nothing can be made of both. */
export type PathMerge =
  | { readonly clean: true; readonly state: State; readonly newContent?: Uint8Array }
  | { readonly clean: false; readonly reason: MergeConflictReason };

/**
 * Three-way merge of one path, where the target holds a file, a link or nothing. The side that alone changed wins, for content
 * and mode apart; content of regular files that both changed is merged by lines. Reads content only then.
 */
export async function mergePath(
  change: NetChange,
  target: State,
  content: (sha256: string) => Promise<Uint8Array>,
): Promise<PathMerge> {
  const { before, after } = change;
  if (isSame(target, before)) return { clean: true, state: after };
  if (isSame(target, after)) return { clean: true, state: target };
  if (target === null || after === null) return { clean: false, reason: "delete_modify" };
  if (before === null) return { clean: false, reason: madeTwice(after, target) };
  return mergeFiles({ base: before, ours: target, theirs: after }, content);
}

interface Sides<T> {
  readonly base: T;
  readonly ours: T;
  readonly theirs: T;
}

async function mergeFiles(
  { base, ours, theirs }: Sides<FileState>,
  content: (sha256: string) => Promise<Uint8Array>,
): Promise<PathMerge> {
  const links = [base, ours, theirs].filter(({ mode }) => mode === "120000").length;
  if (links > 0) return { clean: false, reason: links === 3 ? "symlink" : "type" };
  // Of two modes, what both sides made of a third one is the same.
  const mode = ours.mode === base.mode ? theirs.mode : ours.mode;
  if (theirs.sha256 === base.sha256) return { clean: true, state: { ...ours, mode } };
  if (ours.sha256 === base.sha256 || ours.sha256 === theirs.sha256) {
    return { clean: true, state: { ...theirs, mode } };
  }
  const merged = mergeLines({
    base: await content(base.sha256),
    ours: await content(ours.sha256),
    theirs: await content(theirs.sha256),
  });
  if (!merged.clean) return merged;
  if (merged.bytes.byteLength > maxFileSizeBytes) return { clean: false, reason: "too_large" };
  return { clean: true, state: contentState(merged.bytes, mode), newContent: merged.bytes };
}

function madeTwice(a: FileState, b: FileState): MergeConflictReason {
  if (a.sha256 === b.sha256 && a.mode !== "120000" && b.mode !== "120000") return "mode";
  return "create_create";
}

const isSame = (a: State, b: State): boolean => changeKind(a, b) === undefined;
