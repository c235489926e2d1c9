import fc from "fast-check";
import { sha256Hex } from "../canonical/sha256.ts";
import { initialDigest } from "../changeset/digest.ts";
import type { DecisionRecord } from "../run/decision-record.ts";
import type { Frontier } from "../run/frontier.ts";
import type { Sealing } from "../run/frontier-move.ts";
import { headStatementBytes } from "../run/head-statement.ts";
import { chainEvent, ledgerEndAfter, ledgerGenesis, ledgerHeadOf } from "../run/ledger-chain.ts";
import { openingFrontier } from "../run/opening-frontier.ts";
import { cancelRun, pauseRun, resumePausedRun } from "../run/run-control.ts";
import type { RunEvent } from "../run/run-event.ts";
import { advance, begin, completeEmpty } from "../run/run-progress.ts";
import type { RunRecord } from "../run/run-record.ts";
import { sealStatementBytes } from "../run/seal-statement.ts";
import type { Signer } from "../run/signer.ts";
import { stepBuilder } from "../run/step-builder.ts";
import type { FileState } from "../tree/file-state.ts";
import { ledgerExport } from "./ledger-export.ts";
import type { LedgerBodyLine } from "./ledger-line.ts";
import { decisionLine, eventLine, headerLine, headLine, runLine, sealLine } from "./ledger-lines-of.ts";

interface DecisionSpec {
  readonly outcome: "landed" | "failed" | "skipped";
  readonly paths: readonly string[];
  readonly output: Uint8Array;
  readonly pauseBefore: boolean;
}

interface RunSpec {
  readonly decisions: readonly DecisionSpec[];
  readonly perStep: number;
  readonly pauseFirst: boolean;
  /** A cancel comes before this decision. */
  readonly cancelAt: number | undefined;
  /** Events with a signed head of their own behind the seal. */
  readonly approvals: number;
}

export interface LedgerSpec {
  readonly planId: string;
  readonly resource: string;
  readonly runs: readonly RunSpec[];
}

const decisionSpec: fc.Arbitrary<DecisionSpec> = fc.record({
  outcome: fc.constantFrom("landed", "landed", "failed", "skipped"),
  paths: fc.uniqueArray(fc.string({ unit: "grapheme", minLength: 1, maxLength: 8 }), { maxLength: 3 }),
  output: fc.uint8Array({ maxLength: 6 }),
  pauseBefore: fc.boolean(),
});

/** Plans of one to three runs, with failures, skips, pauses, cancels and signed events after a seal. */
export const ledgerSpec: fc.Arbitrary<LedgerSpec> = fc.record({
  planId: fc.stringMatching(/^[A-Za-z0-9][A-Za-z0-9._-]{0,8}$/),
  resource: fc.constantFrom("app", "répo", "__proto"),
  runs: fc.array(
    fc.record({
      decisions: fc.array(decisionSpec, { maxLength: 5 }),
      perStep: fc.integer({ min: 1, max: 3 }),
      pauseFirst: fc.boolean(),
      cancelAt: fc.option(fc.integer({ min: 0, max: 5 }), { nil: undefined }),
      approvals: fc.integer({ min: 0, max: 2 }),
    }),
    { minLength: 1, maxLength: 3 },
  ),
});

const documentSha256 = sha256Hex("the plan's document");
const startEpochMs = 1_800_000_000_000;

/** The body lines of the ledger that such a plan comes to, made by the functions that make real ones. */
export async function ledgerLines(spec: LedgerSpec, signer: Signer): Promise<readonly LedgerBodyLine[]> {
  const { planId, resource } = spec;
  const baseTrees = { [resource]: sha256Hex("base") };
  const lines: LedgerBodyLine[] = [headerLine({ planId, documentSha256, baseTrees })];
  let start: RunRecord["startsFrom"] = {
    chainHead: initialDigest(planId, baseTrees),
    ledgerHead: ledgerGenesis(planId, documentSha256),
    lastSeq: 0,
  };
  for (const [index, run] of spec.runs.entries()) {
    const record = runRecord({ planId, run: index + 1, start, decisionCount: run.decisions.length });
    let frontier = await runThrough(record, { run, resource, lines, signer });
    for (let approval = 0; approval < run.approvals; approval += 1) {
      frontier = await approved(frontier, { lines, signer });
    }
    if (frontier.state.phase === "completed" || index + 1 === spec.runs.length) break;
    const event = chainEvent(frontier, {
      type: "runtime_execute_resumed",
      run: frontier.run,
      atEpochMs: startEpochMs,
      by: "user:ann",
    });
    lines.push(eventLine(event), await signedHead(planId, event, signer));
    start = { chainHead: frontier.chainHead, ...ledgerEndAfter(event) };
  }
  return lines;
}

export async function ledgerText(lines: Iterable<LedgerBodyLine>): Promise<string> {
  let text = "";
  for await (const line of ledgerExport(lines)) text += line;
  return text;
}

function runRecord(of: {
  readonly planId: string;
  readonly run: number;
  readonly start: RunRecord["startsFrom"];
  readonly decisionCount: number;
}): RunRecord {
  return {
    v: 1,
    tenant: "acme",
    planId: of.planId,
    run: of.run,
    changesetId: `CS${of.run}`,
    requestedBy: "user:ann",
    requestedAtEpochMs: startEpochMs,
    list: { kind: "all" },
    decisionCount: of.decisionCount,
    startsFrom: of.start,
  };
}

interface Work {
  readonly run: RunSpec;
  readonly resource: string;
  readonly lines: LedgerBodyLine[];
  readonly signer: Signer;
}

async function runThrough(record: RunRecord, { run, resource, lines, signer }: Work): Promise<Frontier> {
  const by = { by: "user:bob", reason: "a look \u{1f50d}", nowEpochMs: startEpochMs };
  const decided = new Map<number, DecisionRecord>();
  let told = record.startsFrom.lastSeq;
  const tell = (events: readonly RunEvent[]): void => {
    for (const event of events.filter(({ seq }) => seq > told)) {
      const decision = event.ordinal === undefined ? undefined : decided.get(event.ordinal);
      if (event.type === "runtime_execute_started") lines.push(runLine(event, record));
      else lines.push(decision === undefined ? eventLine(event) : decisionLine(event, decision));
      told = event.seq;
    }
  };
  const seal = async ({ statement, signed }: Sealing): Promise<Frontier> => {
    const signature = await signer.sign(sealStatementBytes(statement));
    const ended = signed(signature);
    tell(ended.controlEvents);
    lines.push(sealLine(statement, signature));
    return ended;
  };
  const cancel = (frontier: Frontier): Promise<Frontier> => {
    const move = cancelRun(frontier, by, false);
    if (move.kind !== "seal") throw new Error("a cancel seals");
    return seal(move.sealing);
  };
  const pauseAndResume = (running: Frontier): Frontier =>
    [pauseRun, resumePausedRun].reduce((at, control) => {
      const move = control(at, by);
      return move.kind === "move" ? move.next : at;
    }, running);
  let frontier = openingFrontier(record);
  if (run.pauseFirst) frontier = pauseAndResume(frontier);
  if (run.cancelAt === 0) return cancel(frontier);
  frontier = begin(frontier, record, startEpochMs);
  if (run.decisions.length === 0) return seal(completeEmpty(frontier, startEpochMs));
  while (frontier.position < run.decisions.length) {
    if (run.cancelAt !== undefined && run.cancelAt <= frontier.position) return cancel(frontier);
    if (run.decisions[frontier.position]?.pauseBefore === true) frontier = pauseAndResume(frontier);
    const builder = stepBuilder(frontier);
    for (const spec of run.decisions.slice(frontier.position, frontier.position + run.perStep)) {
      const ordinal = frontier.position + builder.decisionCount;
      const decision = decisionRecord(spec, { ordinal, resource });
      decided.set(ordinal, decision);
      builder.add(decision, { inStep: new Map(), at: new Map() });
    }
    const step = builder.step("test");
    const move = advance(frontier, { step, nowEpochMs: startEpochMs, watch: 0, units: frontier.units });
    tell(step.events);
    if (move.kind === "seal") return seal(move.sealing);
    frontier = move.next;
  }
  throw new Error("the last decision seals");
}

async function approved(
  frontier: Frontier,
  { lines, signer }: Pick<Work, "lines" | "signer">,
): Promise<Frontier> {
  const numbered = {
    seq: frontier.lastSeq + 1,
    type: "plan_approved",
    run: frontier.run,
    atEpochMs: startEpochMs,
    by: "user:eve",
    approvedDigest: frontier.chainHead,
  };
  const event = { ...numbered, ledgerHead: ledgerHeadOf(frontier.ledgerHead, numbered) };
  lines.push({ kind: "record", event }, await signedHead(frontier.planId, event, signer));
  return { ...frontier, ...ledgerEndAfter(event) };
}

async function signedHead(
  planId: string,
  { seq, ledgerHead }: Pick<RunEvent, "seq" | "ledgerHead">,
  signer: Signer,
): Promise<LedgerBodyLine> {
  const statement = { planId, seq, ledgerHead };
  return headLine(statement, await signer.sign(headStatementBytes(statement)));
}

function decisionRecord(
  spec: DecisionSpec,
  { ordinal, resource }: { readonly ordinal: number; readonly resource: string },
): DecisionRecord {
  const decisionId = `d${ordinal + 1}`;
  const failure = { code: "tool_failed", message: "it did not work" } as const;
  const { outcome, output } = spec;
  const after = (path: string): FileState => ({
    sha256: sha256Hex(path),
    sizeBytes: path.length,
    mode: "100644",
    gitBlobId: sha256Hex(path).slice(0, 40),
  });
  const call = {
    callOrdinal: 0,
    tool: "write_file",
    inputSha256: sha256Hex(decisionId),
    output: { bytes: output, sizeBytes: output.length, truncated: false, sha256: sha256Hex(output) },
    durationMs: 0.1 + ordinal,
  };
  const base = { ordinal, decisionId, reads: [], startedAtEpochMs: startEpochMs, durationMs: 1.5 };
  switch (outcome) {
    case "landed":
      return {
        ...base,
        outcome: { status: "landed" },
        calls: [{ ...call, status: "succeeded" }],
        entries: spec.paths.map((path) => ({
          decisionId,
          callOrdinal: 0,
          resource,
          path,
          kind: "create",
          before: null,
          after: after(path),
        })),
      };
    case "failed":
      return {
        ...base,
        outcome: { status: "failed", failure, callOrdinal: 0 },
        calls: [{ ...call, status: "failed", failure }],
        entries: [],
      };
    case "skipped":
      return { ...base, outcome: { status: "skipped", because: ["d0"] }, calls: [], entries: [] };
    default:
      return outcome satisfies never;
  }
}
