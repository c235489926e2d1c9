import { type Command, InvalidArgumentError } from "commander";
import type { TracedEntryReply } from "#lib/api/apply-replies.ts";
import type { DecisionReply } from "#lib/api/plan-replies.ts";
import type { PlanledgerClient } from "#lib/client/planledger-client.ts";
import { NotFoundError } from "#lib/errors/planledger-error.ts";
import type { CommandResult } from "../command-result.ts";
import { connect } from "../connect.ts";
import { runNumber } from "../number-option.ts";
import { byteJson } from "../render/byte-text.ts";
import { explanationText } from "../render/explanation.ts";
import { traceText } from "../render/trace.ts";
import { runAction } from "../run-action.ts";
import type { Session } from "../session.ts";
import { UsageError } from "../usage-error.ts";

interface Options {
  readonly json?: boolean;
  readonly run?: number;
  readonly path?: string;
  readonly resource?: string;
}

export function addPlanExplain(plan: Command, session: Session): void {
  plan
    .command("explain")
    .description("why a decision was taken, what it called, what it changed; or why a path changed")
    .argument("<id>", "the plan's id, or its pln_ id")
    .argument("[decision]", "the decision's id")
    .option("--path <path>", "instead: every change of this path, who made it and why", checkedPath)
    .option("--resource <name>", "with --path: of this resource alone")
    .option("--run <n>", "a decision in an earlier run", runNumber)
    .option("--json", "print the explanation as one JSON document")
    .action((planId: string, decisionId: string | undefined, options: Options) =>
      runAction(session, options, async () => {
        if ((decisionId === undefined) === (options.path === undefined)) {
          throw new UsageError("say what to explain: a decision's id, or --path PATH");
        }
        if (options.path === undefined && options.resource !== undefined) {
          throw new UsageError("--resource goes with --path");
        }
        if (options.path !== undefined && options.run !== undefined) {
          throw new UsageError("--path looks at all runs; leave out --run");
        }
        const client = await connect(session);
        if (decisionId === undefined) return explainedPath({ client, session }, planId, options);
        const query = {
          planId,
          signal: session.signal,
          ...(options.run === undefined ? {} : { run: options.run }),
        };
        const reasons = new Map<string, Reason>();
        let decision: DecisionReply | undefined;
        for await (const one of client.decisions(query)) {
          reasons.set(one.decisionId, { parentId: one.parentId, rationale: one.rationale });
          if (one.decisionId === decisionId) decision = one;
        }
        if (decision === undefined) {
          throw new UsageError(
            `plan ${planId} has no decision ${JSON.stringify(decisionId)}; \`planledger plan decisions ${planId}\` lists them`,
          );
        }
        const why = reasonsUpward(decisionId, reasons);
        const pages: Uint8Array[] = [];
        if (decision.entries.length > 0) {
          for await (const page of client.diff({ ...query, decision: decisionId })) pages.push(page);
        }
        const revisions =
          decision.status === "landed" ? await revisionsOf(client, { planId, decision, session }) : [];
        const explained = { decision, why, revisions, diff: Buffer.concat(pages) };
        return {
          json: () => ({
            planId,
            decision: explained.decision,
            why,
            revisions,
            diff: byteJson(explained.diff),
          }),
          text: (paint) => explanationText(explained, paint),
        };
      }),
    );
}

/** The project revisions in which what a decision changed stands. */
async function revisionsOf(
  client: PlanledgerClient,
  of: { readonly planId: string; readonly decision: DecisionReply; readonly session: Session },
): Promise<TracedEntryReply["revisions"]> {
  const { planId, decision, session } = of;
  const [entry] = decision.entries;
  if (entry === undefined) return [];
  const revisions = new Map<string, TracedEntryReply["revisions"][number]>();
  const query = { planId, decision: decision.decisionId, signal: session.signal };
  for await (const { revisions: found } of client.trace(query)) {
    for (const one of found) revisions.set(`${one.project} ${one.revision}`, one);
  }
  return [...revisions.values()].sort((a, b) => a.revision - b.revision);
}

/** From a path back to its entries, the decisions and calls that made them, and why. */
async function explainedPath(
  { client, session }: { readonly client: PlanledgerClient; readonly session: Session },
  planId: string,
  { path = "", resource }: Options,
): Promise<CommandResult> {
  const traces: TracedEntryReply[] = [];
  const query = { planId, path, signal: session.signal, ...(resource === undefined ? {} : { resource }) };
  for await (const trace of client.trace(query)) traces.push(trace);
  if (traces.length === 0) {
    throw new NotFoundError({
      code: "not_found",
      message: `plan ${planId} did not change ${JSON.stringify(path)}; \`planledger plan diff ${planId}\` shows what it changed`,
      details: { path },
    });
  }
  return { json: () => ({ planId, path, traces }), text: (paint) => traceText({ path, traces }, paint) };
}

function checkedPath(text: string): string {
  if (text !== "" && Buffer.byteLength(text) <= 1024) return text;
  throw new InvalidArgumentError("It must be a path of up to 1,024 bytes, as the diff shows it.");
}

interface Reason {
  readonly parentId: string | undefined;
  readonly rationale: string | undefined;
}

/** From the decision itself up to the root. */
function reasonsUpward(
  decisionId: string,
  reasons: ReadonlyMap<string, Reason>,
): readonly { readonly decisionId: string; readonly rationale?: string }[] {
  const chain: { decisionId: string; rationale?: string }[] = [];
  const seen = new Set<string>();
  for (let id: string | undefined = decisionId; id !== undefined && !seen.has(id); ) {
    seen.add(id);
    const reason = reasons.get(id);
    chain.push({
      decisionId: id,
      ...(reason?.rationale === undefined ? {} : { rationale: reason.rationale }),
    });
    id = reason?.parentId;
  }
  return chain;
}
