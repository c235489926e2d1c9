import type { FileDiffPiece } from "#lib/diff/tree-diff.ts";
import type { Paint } from "../paint.ts";
import { shownPath } from "../print-safely.ts";
import { counted } from "./counted.ts";
import { table } from "./table.ts";

export interface DiffStat {
  readonly path: string;
  readonly added: number;
  readonly removed: number;
  readonly binary: boolean;
  /** The mode after, where it is another or the file is new and no plain one. */
  readonly mode?: string;
  /** It came from another path, which is gone. */
  readonly moved?: true;
}

/** Counts the lines that a piece of a diff adds and removes. */
export function diffStatOf({ path, bytes }: FileDiffPiece): DiffStat {
  const lines = Buffer.from(bytes).toString("latin1").split("\n");
  let added = 0;
  let removed = 0;
  let left = { old: 0, now: 0 };
  for (const line of lines) {
    const hunk = /^@@ -\d+(?:,(\d+))? \+\d+(?:,(\d+))? @@/.exec(line);
    if (left.old === 0 && left.now === 0 && hunk !== null) {
      left = { old: Number(hunk[1] ?? 1), now: Number(hunk[2] ?? 1) };
    } else if (left.old > 0 || left.now > 0) {
      const [kind] = line;
      if (kind === "+") added += 1;
      if (kind === "-") removed += 1;
      if (kind === "-" || kind === " ") left.old -= 1;
      if (kind === "+" || kind === " ") left.now -= 1;
    }
  }
  const mode = lines
    .map((line) => /^new (?:file )?mode (\d+)$/.exec(line)?.[1])
    .find((found) => found !== undefined);
  return {
    path,
    added,
    removed,
    binary: lines.includes("GIT binary patch"),
    ...(mode === undefined || mode === "100644" ? {} : { mode }),
    ...(lines.some((line) => line.startsWith("rename from ")) ? { moved: true } : {}),
  };
}

/** One line a file, and the sum; "no changes" where there are none. */
export function diffStatText(stats: readonly DiffStat[], paint: Paint): string {
  if (stats.length === 0) return "no changes\n";
  const sum = (of: "added" | "removed") => stats.reduce((total, stat) => total + stat[of], 0);
  const rows = stats.map(({ path, added, removed, binary, mode, moved }) => [
    `  ${shownPath(path)}`,
    [
      moved === true ? paint("dim", "moved") : "",
      binary ? paint("dim", "binary") : "",
      added > 0 ? paint("green", `+${added}`) : "",
      removed > 0 ? paint("red", `-${removed}`) : "",
      mode === undefined ? "" : paint("dim", `mode ${mode}`),
    ]
      .filter((part) => part !== "")
      .join(" "),
  ]);
  return `${table(rows)}  ${paint("dim", `${counted(stats.length, "file")}, ${counted(sum("added"), "line")} added, ${sum("removed")} removed`)}\n`;
}
