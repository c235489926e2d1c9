const named: ReadonlyMap<number, string> = new Map([
  [0x07, "\\a"],
  [0x08, "\\b"],
  [0x09, "\\t"],
  [0x0a, "\\n"],
  [0x0b, "\\v"],
  [0x0c, "\\f"],
  [0x0d, "\\r"],
  [0x22, '\\"'],
  [0x5c, "\\\\"],
]);

/**
 * A path as git writes it in diffs (`core.quotePath`): as it is when its bytes are printable ASCII without quotes and
 * backslashes, else in double quotes with C escapes and octal bytes; so too where a segment ends in a space. The result
 * is ASCII.
 */
export const quotePath = (path: string): string => {
  // `git apply` cannot split an unquoted header where a segment ends in a space, though git writes such ones.
  if (!/[^ -~]|["\\]| \//.test(path)) return path;
  let quoted = "";
  for (const byte of Buffer.from(path)) {
    quoted += named.get(byte) ?? (byte < 0x20 || byte >= 0x7f ? octal(byte) : String.fromCharCode(byte));
  }
  return `"${quoted}"`;
};

const octal = (byte: number): string => `\\${byte.toString(8).padStart(3, "0")}`;
