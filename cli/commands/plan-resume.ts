import type { Command } from "commander";
import { resumeRequest } from "#lib/api/plan-requests.ts";
import { validated } from "#lib/api/validated.ts";
import type { ToolCall } from "#lib/plan/compiled-plan.ts";
import { documentFile, readDocumentFile } from "#lib/plan/document-file.ts";
import { connect } from "../connect.ts";
import { inputName, readInput } from "../files/read-input.ts";
import { acceptedResult } from "../render/accepted.ts";
import { runAction } from "../run-action.ts";
import type { Session } from "../session.ts";
import { UsageError } from "../usage-error.ts";
import { watchPlan } from "../watch-plan.ts";
import { watchedResult } from "../watched-result.ts";

interface Options {
  readonly json?: boolean;
  readonly toolCalls?: string;
  readonly watch?: boolean;
}

export function addPlanResume(plan: Command, session: Session): void {
  plan
    .command("resume")
    .description("release a pause; or, after an end, run again what did not land")
    .argument("<id>", "the plan's id, or its pln_ id")
    .option(
      "--tool-calls <file>",
      "JSON or YAML: corrected calls by decision id, `{ d3: [{ tool, input }] }`; - for stdin",
    )
    .option("--watch", "follow the run until it has ended")
    .option("--json", "print the answer as one JSON document (with --watch the last status)")
    .action((planId: string, options: Options) =>
      runAction(session, options, async () => {
        const toolCalls =
          options.toolCalls === undefined ? undefined : await readToolCalls(session, options.toolCalls);
        const client = await connect(session);
        const order = { planId, signal: session.signal, ...(toolCalls === undefined ? {} : { toolCalls }) };
        const accepted = await client.resume(order);
        if (options.watch !== true) return acceptedResult(accepted);
        const status = await watchPlan({ session, client }, accepted);
        return watchedResult({ session, client }, status);
      }),
    );
}

/** The corrected calls, with or without `toolCalls:` around them. */
async function readToolCalls(
  session: Session,
  file: string,
): Promise<Readonly<Record<string, readonly ToolCall[]>>> {
  const calls = documentFile(await readInput(session, file), inputName(file));
  const toolCalls = readDocumentFile(calls, (value) =>
    isWrapped(value)
      ? validated(resumeRequest, value).toolCalls
      : validated(resumeRequest.shape.toolCalls, value),
  );
  if (toolCalls === undefined || Object.keys(toolCalls).length === 0) {
    throw new UsageError(
      `${inputName(file)} holds no tool calls; it must map decision ids to lists of calls`,
    );
  }
  return Object.fromEntries(
    Object.entries(toolCalls).map(([id, calls]) => [
      id,
      calls.map(({ tool, input = {} }) => ({ tool, input })),
    ]),
  );
}

const isWrapped = (value: unknown): boolean =>
  typeof value === "object" && value !== null && "toolCalls" in value;
