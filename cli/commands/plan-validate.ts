import { resolve } from "node:path";
import type { Command } from "commander";
import { documentFile, placedInFile, readDocumentFile } from "#lib/plan/document-file.ts";
import { parsePlanDocument } from "#lib/plan/parse-plan-document.ts";
import type { PlanDocument } from "#lib/plan/plan-document.ts";
import { documentResources } from "#lib/plan/resource-rules.ts";
import { systemClock } from "#lib/runtime/system-clock.ts";
import { checkPlanTools } from "#lib/service/check-plan-tools.ts";
import { checkoutTools } from "../checkout-tools.ts";
import type { CommandResult } from "../command-result.ts";
import { type DryDecision, type DryRun, dryRun } from "../dry-run.ts";
import { inputName, readInput } from "../files/read-input.ts";
import { recoverDirectory } from "../files/recover-directory.ts";
import { sourceTree } from "../files/source-tree.ts";
import type { Paint } from "../paint.ts";
import { projectResourceName } from "../plan-project.ts";
import { printable } from "../print-safely.ts";
import { counted } from "../render/counted.ts";
import { diffStatText } from "../render/diff-stat.ts";
import { failureLine, outcomeMark } from "../render/outcome.ts";
import { table } from "../render/table.ts";
import { runAction } from "../run-action.ts";
import type { Session } from "../session.ts";
import { UsageError } from "../usage-error.ts";

interface Options {
  readonly json?: boolean;
  readonly project?: string;
  readonly dir: string;
}

/** `plan validate FILE`: needs no service. Exit code 1 for a bad file, or a decision that would not land. */
export function addPlanValidate(plan: Command, session: Session): void {
  plan
    .command("validate")
    .description("check a plan file; with --project run it dry against a copy of a directory")
    .argument("<file>", "the plan in JSON or YAML; - for stdin")
    .option("--project <dir>", "what the plan works on; it is only read")
    .option("--dir <dir>", "the directory that holds tools/, whose tools a plan may call", ".")
    .option("--json", "print what was found as one JSON document")
    .action((file: string, options: Options) =>
      runAction(session, options, async () => {
        const planFile = documentFile(await readInput(session, file), inputName(file));
        const document = readDocumentFile(planFile, parsePlanDocument);
        const tools = checkoutTools(resolve(session.cwd, options.dir), document);
        const { registry, external, faults } = await tools.catch((error: unknown) =>
          placedInFile(planFile, () => {
            throw error;
          }),
        );
        for (const { reason } of faults) session.stderr.write(`left out ${printable(reason)}\n`);
        placedInFile(planFile, () => checkPlanTools(document, registry));
        if (options.project === undefined) return checkedResult(document);
        const resource = projectResourceName(document);
        refuseOtherBases(document, resource);
        const directory = resolve(session.cwd, options.project);
        await recoverDirectory(session, directory);
        const { files } = await sourceTree(directory, options.project);
        const ran = await dryRun({ document, resource, files, registry, clock: systemClock });
        return dryResult(ran, externalCalls(document, external));
      }),
    );
}

/** What lies at the service alone is not known here. */
function refuseOtherBases(document: PlanDocument, resource: string): void {
  const other = documentResources(document).find(
    ({ name, project, tree }) => name !== resource && (project !== undefined || tree !== undefined),
  );
  if (other !== undefined) {
    throw new UsageError(
      `the plan also works on ${JSON.stringify(other.name)}, whose files are at the service; leave out --project to check the file alone`,
    );
  }
}

function checkedResult(document: PlanDocument): CommandResult {
  const decisions = document.decisions.length;
  const toolCalls = document.decisions.reduce((sum, { toolCalls: calls = [] }) => sum + calls.length, 0);
  return {
    json: () => ({ valid: true, dryRun: false, decisions, toolCalls }),
    text: () =>
      `valid: ${counted(decisions, "decision")}, ${counted(toolCalls, "tool call")} (not run; --project DIR runs it dry)\n`,
  };
}

/** Calls that reach outside, by decision. */
const externalCalls = (document: PlanDocument, external: ReadonlySet<string>): ReadonlyMap<string, number> =>
  new Map(
    document.decisions.map(({ id, toolCalls = [] }) => [
      id,
      toolCalls.filter(({ tool }) => external.has(tool)).length,
    ]),
  );

function dryResult({ decisions, diffStat }: DryRun, notCalled: ReadonlyMap<string, number>): CommandResult {
  const count = (status: string) => decisions.filter(({ outcome }) => outcome.status === status).length;
  const counts = {
    total: decisions.length,
    landed: count("landed"),
    failed: count("failed"),
    skipped: count("skipped"),
  };
  const valid = counts.landed === counts.total;
  return {
    json: () => ({
      valid,
      dryRun: true,
      counts,
      noChanges: diffStat.length === 0,
      decisions: decisions.map(({ decisionId, outcome, toolCalls, entries }) => ({
        decisionId,
        ...outcome,
        toolCalls,
        ...(notCalled.get(decisionId) ? { notCalled: notCalled.get(decisionId) } : {}),
        entries,
      })),
      diffStat,
    }),
    text: (paint) =>
      [
        table(decisions.map(rowFor(paint, notCalled))),
        "\n",
        diffStatText(diffStat, paint),
        valid
          ? ""
          : `\n${paint("red", "would not complete")}: ${counts.landed} of ${counts.total} would land, ${counts.failed} fail, ${counts.skipped} be skipped\n`,
      ].join(""),
    failed: !valid,
  };
}

const rowFor =
  (paint: Paint, notCalled: ReadonlyMap<string, number>) =>
  ({ decisionId, outcome, toolCalls, entries }: DryDecision): readonly string[] => [
    outcomeMark(outcome.status, paint),
    decisionId,
    described(outcome, {
      ...{ toolCalls, changes: entries.length },
      notCalled: notCalled.get(decisionId) ?? 0,
    }),
  ];

function described(
  outcome: DryDecision["outcome"],
  did: { readonly toolCalls: number; readonly changes: number; readonly notCalled: number },
): string {
  switch (outcome.status) {
    case "landed":
      return `${counted(did.toolCalls, "call")}${did.notCalled === 0 ? "" : ` (${did.notCalled} external, not made)`}, ${counted(did.changes, "change")}`;
    case "failed":
      return failureLine({
        decisionId: "",
        status: "failed",
        code: outcome.failure.code,
        message: outcome.failure.message,
        callOrdinal: outcome.callOrdinal,
      });
    case "skipped":
      return `${outcome.because.join(", ")} would not land`;
    default:
      return outcome satisfies never;
  }
}
