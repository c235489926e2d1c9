import type { DataTable } from "@cucumber/cucumber";
import * as z from "zod/mini";

/**
 * A file's content as feature files write it: a JSON string, so that every byte of a text can be seen. (Of the escapes in a
 * table's cell Gherkin has resolved `\n` before.)
 */
export function fileBytes(text: string): Uint8Array {
  return new TextEncoder().encode(z.string().parse(JSON.parse(text.replaceAll("\n", "\\n"))));
}

/** Files out of a table of path and content. */
export function fileTable(table: DataTable): ReadonlyMap<string, Uint8Array> {
  return new Map(table.hashes().map(({ path, content }) => [path ?? "", fileBytes(content ?? "")]));
}

/** Bytes as text when they are UTF-8, else in hex: what a failed comparison should print. */
export function shownBytes(bytes: Uint8Array): string {
  try {
    return JSON.stringify(new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes));
  } catch {
    return Buffer.from(bytes).toString("hex");
  }
}
