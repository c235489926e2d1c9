import { createReadStream } from "node:fs";
import { resolve } from "node:path";
import type { Command } from "commander";
import { ValidationError } from "#lib/errors/planledger-error.ts";
import { ledgerExport } from "#lib/ledger/ledger-export.ts";
import { type LedgerVerification, verifyLedger } from "#lib/ledger/verify-ledger.ts";
import type { CommandResult } from "../command-result.ts";
import { connect } from "../connect.ts";
import { readInput } from "../files/read-input.ts";
import type { Paint } from "../paint.ts";
import { printable } from "../print-safely.ts";
import { table } from "../render/table.ts";
import { runAction } from "../run-action.ts";
import type { Session } from "../session.ts";
import { UsageError } from "../usage-error.ts";

interface Options {
  readonly json?: boolean;
  readonly file?: string;
  readonly key?: string;
  readonly head?: string;
}

/** `verify`: of a plan online, or of an exported file without any service. Exit code 1 when the ledger does not verify. */
export function addVerify(program: Command, session: Session): void {
  program
    .command("verify")
    .description("check a ledger: every record, the chain, the digests, the signatures")
    .argument("[id]", "the plan's id, or its pln_ id, to check it at the service")
    .option("--file <file>", "check an exported ledger instead (plan artifacts --ledger), without a service")
    .option("--key <file>", "the public key (PEM), which must not come from where the ledger comes from")
    .option("--head <hash>", "the head that the ledger must reach: an older one is signed and valid too")
    .option("--json", "print the result as one JSON document")
    .action((planId: string | undefined, options: Options) =>
      runAction(session, options, async () => {
        const given = options.key === undefined ? undefined : await readKey(session, options.key);
        if (options.file !== undefined) {
          if (planId !== undefined) throw new UsageError("give a plan's id or --file, not both");
          if (given === undefined) {
            throw new UsageError(
              "--file needs --key FILE, the service's public key (PEM); a key from the ledger itself would prove nothing",
            );
          }
          return verified(readLedgerFile(session, options.file), { publicKey: given, ...headOf(options) });
        }
        if (planId === undefined) {
          throw new UsageError("say what to verify: a plan's id, or --file FILE with --key FILE");
        }
        const client = await connect(session);
        const publicKey = given ?? (await client.signingKeys(session.signal))[0]?.publicKeyPem;
        if (publicKey === undefined)
          throw new UsageError("the service names no signing key; give --key FILE");
        const lines = client.ledger({ planId, signal: session.signal });
        return verified(bytesOf(ledgerExport(lines)), {
          publicKey,
          keyFromService: given === undefined,
          ...headOf(options),
        });
      }),
    );
}

interface Against {
  readonly publicKey: string;
  readonly keyFromService?: boolean;
  readonly expectedHead?: string;
}

const headOf = ({ head }: Options) => (head === undefined ? {} : { expectedHead: head.toLowerCase() });

async function verified(ledger: AsyncIterable<Uint8Array>, against: Against): Promise<CommandResult> {
  const { keyFromService = false, ...expected } = against;
  const result = await verifyLedger({ ledger, ...expected }).catch((fault: unknown) => {
    if (!(fault instanceof ValidationError)) throw fault;
    if (fault.field === "publicKey") throw new UsageError(`--key: ${fault.message}`);
    if (fault.field === "expectedHead") throw new UsageError(`--head: ${fault.message}`);
    throw fault;
  });
  return {
    json: () => (result.ok ? { ...result, keyFromService } : result),
    text: (paint) => verificationText(result, { paint, keyFromService }),
    failed: !result.ok,
  };
}

function verificationText(
  result: LedgerVerification,
  { paint, keyFromService }: { readonly paint: Paint; readonly keyFromService: boolean },
): string {
  if (!result.ok) {
    const { line, seq } = result.position;
    const where = seq === undefined ? `line ${line}` : `record ${seq}, line ${line}`;
    return `${paint("red", "✗ does not verify")}  ${result.code} at ${where}\n${printable(result.message)}\n`;
  }
  const { head, records, planId, keyId } = result;
  return [
    `${paint("green", "✓ verifies")}  ${printable(planId)}: ${records} ${records === 1 ? "record" : "records"}, run ${head.run} ${head.phase}\n`,
    table([
      ["head", head.ledgerHead],
      ...(head.digest === undefined ? [] : [["digest", head.digest]]),
      [
        "key",
        `${keyId}${keyFromService ? paint("dim", "  (as the service gives it; --key FILE to trust your own copy)") : ""}`,
      ],
    ]),
  ].join("");
}

async function readKey(session: Session, file: string): Promise<string> {
  return Buffer.from(await readInput(session, file)).toString("utf8");
}

async function* readLedgerFile(session: Session, file: string): AsyncGenerator<Uint8Array> {
  try {
    yield* createReadStream(resolve(session.cwd, file));
  } catch (fault) {
    const missing = fault instanceof Error && "code" in fault && fault.code === "ENOENT";
    throw new UsageError(
      missing
        ? `there is no file ${file}`
        : `cannot read ${file}: ${fault instanceof Error ? fault.message : fault}`,
    );
  }
}

async function* bytesOf(texts: AsyncIterable<string>): AsyncGenerator<Uint8Array> {
  for await (const text of texts) yield Buffer.from(text);
}
