import type { ChangeEntry } from "../changeset/change-entry.ts";
import { ancestorsOf } from "../workspace/ancestors.ts";
import type { WorkspaceRead } from "../workspace/workspace-read.ts";
import type { AddedDecision } from "./derived-changeset.ts";
import { standingWitness } from "./standing-witness.ts";
import {
  lastWriteBefore,
  type PathWrite,
  type WriteHistory,
  type WrittenPath,
  writtenBelow,
} from "./write-history.ts";

/** A decision that landed, as far as it matters what it needs. */
export interface LandedDecision {
  readonly decisionId: string;
  readonly reads: readonly WorkspaceRead[];
  readonly entries: readonly ChangeEntry[];
  /** Positions, among the decisions that landed, of those that it depends on. */
  readonly dependsOn: readonly number[];
}

export interface DecisionClosure {
  /** Positions of all that are taken, ascending. */
  readonly taken: readonly number[];
  /** Those that were not asked for, in plan order. */
  readonly added: readonly AddedDecision[];
}

/** A directory, or a place without one, that a decision looked at. */
interface Standing {
  readonly decision: number;
  readonly path: string;
}

/**
 * The decisions asked for, with all that they need: what they depend on, and every earlier decision that wrote what they read
 * or wrote, and so on from these. Run alone from the base, the decisions taken read what they read when all had run, and
 * therefore make the same entries. A look at a file, a link or an absence needs all that wrote its path; names of a directory,
 * all that changed these names; a search, all that wrote below; a write, all that wrote its path or a path above it, and one
 * that creates a file also what came and went below. That a directory stands needs only one decision that makes it so.
 */
export async function decisionClosure(options: {
  readonly decisions: readonly LandedDecision[];
  readonly asked: readonly number[];
  readonly resource: string;
  readonly history: WriteHistory;
}): Promise<DecisionClosure> {
  const { decisions, asked, resource, history } = options;
  const taken = new Set(asked);
  const waiting = [...taken].sort((a, b) => a - b);
  const added = new Map<number, AddedDecision>();
  const standings: Standing[] = [];
  const searched = new Map<string, number>();

  function need(position: number, by: number, because: AddedDecision["because"]): void {
    if (taken.has(position)) return;
    taken.add(position);
    waiting.push(position);
    const decisionId = decisions[position]?.decisionId ?? "";
    added.set(position, { decisionId, neededBy: decisions[by]?.decisionId ?? "", because });
  }

  /** The last writer is enough: it wrote the path too, and so needs the one before. */
  function needWriter(by: number, written: WrittenPath | undefined, passes = anyWrite): void {
    const write = written === undefined ? undefined : lastWriteBefore(written, by, passes);
    if (write === undefined || written === undefined) return;
    need(write.decision, by, { kind: "path", resource, path: written.path });
  }

  function needWritersBelow(by: number, path: string, passes = anyWrite): void {
    const node = history.at(path);
    for (const written of node === undefined ? [] : writtenBelow(node)) needWriter(by, written, passes);
  }

  /** A search needs all that an earlier one of the same directory needs, so only the latest of them looks. */
  function needForSearch(by: number, path: string): void {
    if ((searched.get(path) ?? -1) >= by) return;
    searched.set(path, by);
    needWritersBelow(by, path);
  }

  function needForRead(by: number, read: WorkspaceRead): void {
    if (read.resource !== resource) return;
    const node = history.at(read.path);
    needWriter(by, node);
    switch (read.kind) {
      case "node":
        if (read.found === null || read.found.type === "directory") {
          standings.push({ decision: by, path: read.path });
        }
        return;
      case "names":
        for (const child of node?.below.values() ?? []) {
          needWriter(by, child, ({ renames }) => renames);
          if (child.below.size > 0) standings.push({ decision: by, path: child.path });
        }
        return;
      case "subtree":
        needForSearch(by, read.path);
        return;
      default:
        read satisfies never;
    }
  }

  function needForEntry(by: number, entry: ChangeEntry): void {
    if (entry.resource !== resource) return;
    for (const path of [...ancestorsOf(entry.path), entry.path]) needWriter(by, history.at(path));
    if (entry.before === null) needWritersBelow(by, entry.path, ({ renames }) => renames);
  }

  for (;;) {
    for (let by = waiting.pop(); by !== undefined; by = waiting.pop()) {
      const decision = decisions[by];
      if (decision === undefined) continue;
      for (const position of decision.dependsOn) need(position, by, { kind: "depends_on" });
      for (const read of decision.reads) needForRead(by, read);
      for (const entry of decision.entries) needForEntry(by, entry);
    }
    for (const { decision, path } of standings) {
      const positions = await standingWitness(history, { decision, path }, taken);
      for (const position of positions) need(position, decision, { kind: "path", resource, path });
    }
    if (waiting.length === 0) break;
  }

  const inOrder = [...taken].sort((a, b) => a - b);
  return {
    taken: inOrder,
    added: inOrder.map((position) => added.get(position)).filter((one) => one !== undefined),
  };
}

const anyWrite = (_: PathWrite): boolean => true;
