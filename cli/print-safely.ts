/** Text of somebody else's for a terminal: control characters (escape sequences too) are shown, not obeyed. */
export const printable = (text: string): string =>
  text.replace(
    /[^\P{Cc}\t\n]|[\u202a-\u202e\u2066-\u2069]/gu,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );

/** The same on one line of at most `width` characters. */
export function oneLine(text: string, width: number): string {
  const line = printable(text.replace(/\s+/g, " ").trim());
  return line.length > width ? `${line.slice(0, Math.max(0, width - 1))}…` : line;
}

/** A path of somebody else's, on one line whatever is in its name. */
export const shownPath = (path: string): string =>
  printable(path).replaceAll("\n", "\\n").replaceAll("\t", "\\t");
