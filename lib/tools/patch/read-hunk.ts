import type { Hunk } from "./file-patch.ts";
import { patchFailed } from "./patch-failed.ts";
import type { PatchReader } from "./patch-reader.ts";

const header = /^@@ -(\d{1,9})(?:,(\d{1,9}))? \+(\d{1,9})(?:,(\d{1,9}))? @@/;

export const isHunkHeader = (line: string | undefined): boolean => line?.startsWith("@@ -") ?? false;

/** Reads a hunk; its line counts must be right, since lines beyond them would be lost without a word. */
export const readHunk = (reader: PatchReader): Hunk => {
  const patchLine = reader.line();
  const found = header.exec(reader.next() ?? "");
  if (found === null)
    throw patchFailed("a hunk's header is not @@ -line,count +line,count @@", { patchLine });
  const [, oldStart, oldCount = "1", , newCount = "1"] = found;
  const left = { old: Number(oldCount), new: Number(newCount) };
  const oldLines: string[] = [];
  const newLines: string[] = [];
  let trailingContext = 0;
  let last: readonly string[][] = [];
  for (;;) {
    const line = reader.peek();
    // An editor that strips trailing blanks leaves nothing of an empty line of context.
    const sign = line === "" ? " " : line?.charAt(0);
    if (sign === "\\") {
      for (const side of last) side.push((side.pop() ?? "").replace(/\n$/, ""));
      last = [];
    } else if (left.old === 0 && left.new === 0) {
      break;
    } else {
      last = sign === " " ? [oldLines, newLines] : sign === "-" ? [oldLines] : sign === "+" ? [newLines] : [];
      if (line === undefined || last.length === 0) throw wrongCounts(patchLine);
      trailingContext = sign === " " ? trailingContext + 1 : 0;
      if (sign !== "+") left.old -= 1;
      if (sign !== "-") left.new -= 1;
      if (left.old < 0 || left.new < 0) throw wrongCounts(patchLine);
      for (const side of last) side.push(`${line.slice(1)}\n`);
    }
    reader.next();
  }
  const after = reader.peek();
  // "-- " begins the signature of a mail.
  if (after !== undefined && /^[-+ ]/.test(after) && !/^(?:-- ?$|--- )/.test(after))
    throw wrongCounts(patchLine);
  return { patchLine, oldStart: Number(oldStart), oldLines, newLines, trailingContext };
};

const wrongCounts = (patchLine: number) =>
  patchFailed("a hunk has more or fewer lines than its header says", { patchLine });
