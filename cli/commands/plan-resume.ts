import type { Command } from "commander";
import { resumeRequest } from "#lib/api/plan-requests.ts";
import { validated } from "#lib/api/validated.ts";
import { parseStrictJson } from "#lib/canonical/parse-strict-json.ts";
import type { ToolCall } from "#lib/plan/compiled-plan.ts";
import { readYaml } from "#lib/plan/read-yaml.ts";
import { connect } from "../connect.ts";
import { inputName, readInput } from "../files/read-input.ts";
import { acceptedResult } from "../render/accepted.ts";
import { runAction } from "../run-action.ts";
import type { Session } from "../session.ts";
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
  const text = Buffer.from(await readInput(session, file)).toString("utf8");
  const value = file.toLowerCase().endsWith(".json") ? parseStrictJson(text) : readYaml(text);
  const wrapped =
    typeof value === "object" && value !== null && "toolCalls" in value ? value : { toolCalls: value };
  const { toolCalls = {} } = validated(resumeRequest, wrapped);
  if (Object.keys(toolCalls).length === 0) {
    throw new Error(`${inputName(file)} holds no tool calls; it must map decision ids to lists of calls`);
  }
  return Object.fromEntries(
    Object.entries(toolCalls).map(([id, calls]) => [
      id,
      calls.map(({ tool, input = {} }) => ({ tool, input })),
    ]),
  );
}
