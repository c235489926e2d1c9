import { stripVTControlCharacters } from "node:util";

/** Rows with their columns aligned, two spaces apart, no trailing blanks. Empty for no rows. */
export function table(rows: readonly (readonly string[])[]): string {
  const widths: number[] = [];
  for (const row of rows) {
    for (const [column, cell] of row.entries()) {
      widths[column] = Math.max(widths[column] ?? 0, visibleWidth(cell));
    }
  }
  return rows
    .map((row) =>
      row
        .map((cell, column) => cell + " ".repeat((widths[column] ?? 0) - visibleWidth(cell)))
        .join("  ")
        .trimEnd(),
    )
    .map((line) => `${line}\n`)
    .join("");
}

const visibleWidth = (text: string): number => [...stripVTControlCharacters(text)].length;
