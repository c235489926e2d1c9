import type { NetChange } from "#lib/apply/net-change.ts";
import { readAhead } from "./read-ahead.ts";

/** The contents of changes as an apply asks for them, in their order, several begun ahead of it. */
export function contentAhead(
  changes: readonly NetChange[],
  content: (sha256: string) => Promise<Uint8Array>,
): (sha256: string) => Promise<Uint8Array> {
  const hashes = changes.flatMap(({ after }) => (after === null ? [] : [after.sha256]));
  const next = readAhead(hashes.map((sha256) => () => content(sha256)));
  let asked = 0;
  return (sha256) => {
    if (hashes[asked] !== sha256) return content(sha256);
    asked += 1;
    return next();
  };
}
