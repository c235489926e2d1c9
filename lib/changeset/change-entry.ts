import type { FileState } from "../tree/file-state.ts";

export type ChangeKind = "create" | "modify" | "delete" | "mode" | "type";

/**
 * One change to one path by one tool call. `before` or `after` is `null` where the path is absent. The kind follows from
 * the two states (`changeKind`): a file that became a link, or back, is `type`; other content is `modify`, whatever the
 * mode; the same content under another mode is `mode`. Content is kept in the changeset's content, by `sha256`.
 */
export interface ChangeEntry {
  readonly decisionId: string;
  /** 0-based position of the tool call within its decision. */
  readonly callOrdinal: number;
  /** The resource's own name in `projectResources`, never a binding of it. */
  readonly resource: string;
  readonly path: string;
  readonly kind: ChangeKind;
  readonly before: FileState | null;
  readonly after: FileState | null;
}
