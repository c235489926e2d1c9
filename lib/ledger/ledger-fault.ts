import type { LedgerLine } from "./ledger-line.ts";
import type { ParsedLine } from "./parse-ledger.ts";

/**
 * What is wrong with a ledger. `altered`: something that stands there is not what was chained or signed. `dropped`: a line is
 * missing, though the file goes on. `added`: a line stands twice, or where nothing belongs. `reordered`: all is there, not in
 * its order. `cut_off`: the file ends early. `wrong_key`: signed with another key than the one given. `unsigned`: chained, but
 * under no signed head. `digest_mismatch`: the changes do not come to the digest. `wrong_head`: sound, but not up to the head
 * that was expected.
 */
export type LedgerFaultCode =
  | "altered"
  | "dropped"
  | "added"
  | "reordered"
  | "cut_off"
  | "wrong_key"
  | "unsigned"
  | "digest_mismatch"
  | "wrong_head";

/** A line of the file, from 1, and the record (by its number) that breaks there, or is missing there. */
export interface LedgerPosition {
  readonly line: number;
  readonly seq?: number;
}

export interface LedgerFault {
  readonly position: LedgerPosition;
  readonly code: LedgerFaultCode;
  readonly message: string;
}

/**
 * A line that is not the one that belongs here. Whether that one was dropped, or comes later, or this one is a copy, only the
 * rest of the file tells: `settleMisplaced` reads it.
 */
export interface Misplaced {
  readonly position: LedgerPosition;
  /** As it stands in the file. */
  readonly text: string;
  readonly found: string;
  readonly awaited: string;
  isAwaited(line: LedgerLine): boolean;
  /** What it is when what belongs here never comes. */
  readonly otherwise: "dropped" | "altered";
}

export async function settleMisplaced(
  misplaced: Misplaced,
  rest: AsyncIterable<ParsedLine>,
): Promise<LedgerFault> {
  const { position, found, awaited } = misplaced;
  let awaitedAt: number | undefined;
  let copyAt: number | undefined;
  for await (const later of rest) {
    if (!later.ok) continue;
    if (later.text === misplaced.text) copyAt ??= later.line;
    else if (misplaced.isAwaited(later.value)) awaitedAt ??= later.line;
  }
  const here = `Line ${position.line} holds ${found}, where ${awaited} belongs`;
  if (copyAt !== undefined) {
    return { position, code: "added", message: `${here}; the same stands in line ${copyAt}.` };
  }
  if (misplaced.otherwise === "altered") {
    return awaitedAt === undefined
      ? { position, code: "altered", message: `${here}: it was altered after it was chained.` }
      : { position, code: "added", message: `${here}, which stands in line ${awaitedAt}.` };
  }
  return awaitedAt === undefined
    ? { position, code: "dropped", message: `${here}, which is missing from the file.` }
    : { position, code: "reordered", message: `${here}, which comes only in line ${awaitedAt}.` };
}
