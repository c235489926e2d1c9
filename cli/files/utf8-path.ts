import { UsageError } from "../usage-error.ts";

/** A path's bytes as text; a tree holds UTF-8 names only. */
export function utf8Path(bytes: Uint8Array): string {
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    throw new UsageError(
      `the name ${JSON.stringify(Buffer.from(bytes).toString("latin1"))} (as Latin-1) is not UTF-8; rename the file or ignore it`,
    );
  }
}
