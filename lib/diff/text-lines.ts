/** Bytes cut into lines, each with its LF; the last one may lack it. `starts` has one more element: the end. */
export interface TextLines {
  readonly bytes: Buffer;
  readonly starts: Uint32Array;
  readonly count: number;
}

export const textLines = (content: Uint8Array): TextLines => {
  const bytes = Buffer.from(content.buffer, content.byteOffset, content.byteLength);
  let count = 0;
  for (let end = 0; end < bytes.length; end = lineEnd(bytes, end)) count += 1;
  const starts = new Uint32Array(count + 1);
  let line = 1;
  for (let end = 0; end < bytes.length; line += 1) {
    end = lineEnd(bytes, end);
    starts[line] = end;
  }
  return { bytes, starts, count };
};

const lineEnd = (bytes: Buffer, from: number): number => {
  const feed = bytes.indexOf(0x0a, from);
  return feed === -1 ? bytes.length : feed + 1;
};

export const lineBytes = (lines: TextLines, index: number): Buffer =>
  lines.bytes.subarray(lines.starts[index], lines.starts[index + 1]);

/** Lines from `from` to before `to` as strings of one unit a byte: equal strings are equal bytes. */
export const lineStrings = (lines: TextLines, from: number, to: number): readonly string[] =>
  Array.from({ length: to - from }, (_, index) => lineBytes(lines, from + index).toString("latin1"));
