import type { FileState } from "../tree/file-state.ts";
import type { ChangeKind } from "./change-entry.ts";

type State = FileState | null | undefined;

/**
 * The kind of a change by the states before and after (`null` or `undefined`: absent): a file that became a symbolic link,
 * or back, is `type`; other content is `modify`, whatever the mode; the same content under another mode is `mode`.
 * `undefined` when nothing changed.
 */
export const changeKind = (before: State, after: State): ChangeKind | undefined => {
  if (!before) return after ? "create" : undefined;
  if (!after) return "delete";
  if ((before.mode === "120000") !== (after.mode === "120000")) return "type";
  if (before.sha256 !== after.sha256) return "modify";
  return before.mode === after.mode ? undefined : "mode";
};
