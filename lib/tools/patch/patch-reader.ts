/** The lines of a patch as text of one unit a byte, without their line feeds, read one after another. */
export interface PatchReader {
  /** 1-based number of the line that `peek` shows. */
  line(): number;
  /** The next line; `undefined` at the end. */
  peek(): string | undefined;
  next(): string | undefined;
}

export const patchReader = (patch: Uint8Array): PatchReader => {
  const lines = Buffer.from(patch).toString("latin1").split("\n");
  // What follows the last line feed is no line when it is empty.
  if (lines.at(-1) === "") lines.pop();
  let at = 0;
  return {
    line: () => at + 1,
    peek: () => lines[at],
    next() {
      const line = lines[at];
      at += 1;
      return line;
    },
  };
};
