import { readFile } from "node:fs/promises";
import { resolve } from "node:path";
import type { Session } from "../session.ts";
import { UsageError } from "../usage-error.ts";

/** A file's bytes, or all of stdin for `-`. */
export async function readInput(session: Session, file: string): Promise<Uint8Array> {
  if (file === "-") {
    const chunks: Uint8Array[] = [];
    for await (const chunk of session.stdin)
      chunks.push(typeof chunk === "string" ? Buffer.from(chunk) : chunk);
    return Buffer.concat(chunks);
  }
  return readFile(resolve(session.cwd, file)).catch((fault: NodeJS.ErrnoException) => {
    throw new UsageError(
      fault.code === "ENOENT" ? `there is no file ${file}` : `cannot read ${file}: ${fault.message}`,
    );
  });
}

/** What stdin is called in messages. */
export const inputName = (file: string): string => (file === "-" ? "(stdin)" : file);
