import { canonicalJson } from "../canonical/canonical-json.ts";
import { ValidationError } from "../errors/planledger-error.ts";
import type { LedgerBodyLine, LedgerLine } from "./ledger-line.ts";

/**
 * A ledger as a file: JSON Lines, each in canonical form, in the order in which they come in, closed by an `end` line. Holds
 * one line at a time, so a ledger of any length streams through. It checks nothing: `verifyLedger` does.
 */
export async function* ledgerExport(
  lines: AsyncIterable<LedgerBodyLine> | Iterable<LedgerBodyLine>,
): AsyncGenerator<string> {
  let seq = 0;
  let ledgerHead: string | undefined;
  for await (const line of lines) {
    if (line.kind === "header") ledgerHead = line.ledgerHead;
    if (line.kind === "record") ({ seq, ledgerHead } = line.event);
    yield lineText(line);
  }
  if (ledgerHead === undefined) {
    throw new ValidationError({
      field: "lines",
      message: "A ledger has no lines; it must begin with its header.",
    });
  }
  yield lineText({ kind: "end", seq, ledgerHead });
}

const lineText = (line: LedgerLine): string => `${canonicalJson(line)}\n`;
