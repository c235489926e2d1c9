import { canonicalJson } from "../canonical/canonical-json.ts";
import { type LedgerLine, ledgerLineSchema } from "./ledger-line.ts";

/** A line as it was read, or the reason why it cannot be one. `line` counts from 1. */
export type ParsedLine =
  | { readonly line: number; readonly ok: true; readonly text: string; readonly value: LedgerLine }
  | {
      readonly line: number;
      readonly ok: false;
      /** `cut_off`: the file ends within this line. */
      readonly fault: "malformed" | "cut_off";
      readonly message: string;
    };

/** No honest line comes near it: a decision of 100 calls that each touch 20,000 files has some hundred megabytes. */
const maxLineBytes = 400 * 1024 * 1024;

const newline = 0x0a;
const utf8 = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

/**
 * Reads an exported ledger line by line, however the bytes are split. A line counts only in its canonical form, so that no
 * two files mean the same; whatever else stands there comes as a broken line, and reading goes on behind it.
 */
export async function* parseLedger(
  source: AsyncIterable<Uint8Array> | Iterable<Uint8Array>,
): AsyncGenerator<ParsedLine> {
  let line = 0;
  let pending: Uint8Array[] = [];
  let pendingBytes = 0;
  for await (const chunk of source) {
    let start = 0;
    for (let at = chunk.indexOf(newline); at !== -1; at = chunk.indexOf(newline, start)) {
      line += 1;
      yield parsedLine(line, Buffer.concat([...pending, chunk.subarray(start, at)]));
      pending = [];
      pendingBytes = 0;
      start = at + 1;
    }
    if (start === chunk.length) continue;
    pending.push(chunk.subarray(start));
    pendingBytes += chunk.length - start;
    if (pendingBytes > maxLineBytes) {
      yield broken(line + 1, `is longer than ${maxLineBytes} bytes, which no line of a ledger is`);
      return;
    }
  }
  if (pendingBytes > 0) {
    const message = `Line ${line + 1}: the file ends in the middle of it (every line ends with a newline).`;
    yield { line: line + 1, ok: false, fault: "cut_off", message };
  }
}

function parsedLine(line: number, bytes: Uint8Array): ParsedLine {
  let text: string;
  let json: unknown;
  try {
    text = utf8.decode(bytes);
    json = JSON.parse(text);
  } catch {
    return broken(line, "is not JSON in UTF-8");
  }
  const parsed = ledgerLineSchema.safeParse(json);
  if (!parsed.success) {
    const [issue] = parsed.error.issues;
    const place = issue === undefined || issue.path.length === 0 ? "the line" : issue.path.join(".");
    return broken(line, `is no line of a ledger: ${place}: ${issue?.message ?? "it is invalid"}`);
  }
  // Compared with what was understood: what a parser drops or reads loosely must not go unseen.
  if (canonicalForm(parsed.data) !== text) {
    return broken(line, "is not in canonical form (RFC 8785)");
  }
  return { line, ok: true, text, value: parsed.data };
}

function canonicalForm(value: LedgerLine): string | undefined {
  try {
    return canonicalJson(value);
  } catch {
    return undefined;
  }
}

const broken = (line: number, what: string): ParsedLine => ({
  line,
  ok: false,
  fault: "malformed",
  message: `Line ${line} ${what}.`,
});
