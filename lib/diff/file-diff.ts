import { gitBlobId } from "../content/content-state.ts";
import type { FileMode } from "../tree/file-state.ts";
import { binaryPatch } from "./binary-patch.ts";
import { quotePath } from "./quote-path.ts";
import { similarityPercent } from "./similarity.ts";
import { textHunks } from "./text-hunks.ts";

/** One side of a file's diff; a symbolic link's bytes are its target. */
export interface DiffSide {
  readonly mode: FileMode;
  readonly bytes: Uint8Array;
}

/** `null` is absence. `oldPath`: the file came from there, as a rename, with or without a change; both sides are present. */
export interface FileDiff {
  readonly path: string;
  readonly before: DiffSide | null;
  readonly after: DiffSide | null;
  readonly oldPath?: string;
}

/**
 * The unified diff of one path with git's extended headers, as `git apply` and `git apply -R` accept it: bytes, since text
 * is kept as it is. Binary (a NUL in the first 8,000 bytes of a side) is a `GIT binary patch`; index lines are full;
 * a change of type is a deletion and a creation. Empty when nothing changed.
 */
export const fileDiff = (diff: FileDiff): Uint8Array => {
  const { path, before, after } = diff;
  if (before !== null && after !== null && isLink(before) !== isLink(after)) {
    const oldPath = diff.oldPath ?? path;
    return Buffer.concat([
      onePatch({ path: oldPath, before, after: null }),
      onePatch({ path, before: null, after }),
    ]);
  }
  if (before !== null && after !== null && isLink(before) && diff.oldPath !== undefined) {
    // git apply refuses a file below a link that is renamed away, since the link's mode stands nowhere in a rename.
    return Buffer.concat([
      onePatch({ path: diff.oldPath, before, after: null }),
      onePatch({ path, before: null, after }),
    ]);
  }
  return onePatch(diff);
};

const onePatch = (diff: FileDiff): Uint8Array => {
  const { before, after } = diff;
  if (before === null && after === null) return new Uint8Array();
  const oldPath = before !== null && after !== null ? (diff.oldPath ?? diff.path) : diff.path;
  const old = before?.bytes ?? new Uint8Array();
  const now = after?.bytes ?? new Uint8Array();
  const changed = before === null || after === null || Buffer.compare(old, now) !== 0;
  const headers = [
    ...modeLines(before, after),
    ...(oldPath === diff.path
      ? []
      : [
          `similarity index ${changed ? similarityPercent(old, now) : 100}%\n`,
          `rename from ${quotePath(oldPath)}\n`,
          `rename to ${quotePath(diff.path)}\n`,
        ]),
    ...(changed ? [indexLine(before, after)] : []),
  ];
  if (headers.length === 0) return new Uint8Array();
  const names = { a: quotePath(`a/${oldPath}`), b: quotePath(`b/${diff.path}`) };
  const head = `diff --git ${names.a} ${names.b}\n${headers.join("")}`;
  if (!changed || (old.byteLength === 0 && now.byteLength === 0)) return Buffer.from(head);
  if (isBinary(old) || isBinary(now)) return Buffer.from(head + binaryPatch(old, now));
  const fromName = before === null ? "/dev/null" : tabbed(names.a);
  const toName = after === null ? "/dev/null" : tabbed(names.b);
  return Buffer.concat([Buffer.from(`${head}--- ${fromName}\n+++ ${toName}\n`), textHunks(old, now)]);
};

const modeLines = (before: DiffSide | null, after: DiffSide | null): readonly string[] => {
  if (before === null) return [`new file mode ${after?.mode}\n`];
  if (after === null) return [`deleted file mode ${before.mode}\n`];
  if (before.mode === after.mode) return [];
  return [`old mode ${before.mode}\n`, `new mode ${after.mode}\n`];
};

const absentId = "0".repeat(40);

const indexLine = (before: DiffSide | null, after: DiffSide | null): string => {
  const ids = [before, after].map((side) => (side === null ? absentId : gitBlobId(side.bytes)));
  const mode = before !== null && before.mode === after?.mode ? ` ${before.mode}` : "";
  return `index ${ids.join("..")}${mode}\n`;
};

/** Git ends a name that holds a space with a tab, so that old tools do not take what follows for a date. */
const tabbed = (name: string): string => (name.includes(" ") ? `${name}\t` : name);

const isLink = (side: DiffSide): boolean => side.mode === "120000";

/** As git judges it. */
const isBinary = (bytes: Uint8Array): boolean => bytes.subarray(0, 8000).includes(0);
