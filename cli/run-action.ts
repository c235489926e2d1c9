import { PlanledgerError } from "#lib/errors/planledger-error.ts";
import type { CommandResult } from "./command-result.ts";
import { describeFailure, failureJson } from "./describe-failure.ts";
import { paintFor } from "./paint.ts";
import type { Session } from "./session.ts";
import { UsageError } from "./usage-error.ts";
import { writeOutput } from "./write-output.ts";

/**
 * Runs a command's action and prints what it came to: with `--json` exactly one document on stdout, also for a failure
 * (`{ "error": … }`); else text on stdout and failures on stderr. Sets the session's exit code.
 */
export async function runAction(
  session: Session,
  options: { readonly json?: boolean | undefined },
  action: () => Promise<CommandResult>,
): Promise<void> {
  let result: CommandResult;
  try {
    result = await action();
    if (options.json === true) {
      await writeOutput(session.stdout, `${JSON.stringify(result.json(), null, 2)}\n`);
    } else {
      const text = result.text(paintFor(session.stdout, session.env));
      if (typeof text === "string") await writeOutput(session.stdout, text);
      else for await (const chunk of text) await writeOutput(session.stdout, chunk);
    }
  } catch (fault) {
    session.exitCode = isUsage(fault) ? 2 : 1;
    await reportFailure(session, options, told(session, fault));
    return;
  }
  session.exitCode = result.failed === true ? 1 : 0;
}

/** Says a failure where the caller looks for it. */
export async function reportFailure(
  session: Session,
  options: { readonly json?: boolean | undefined },
  fault: unknown,
): Promise<void> {
  await writeOutput(session.stderr, describeFailure(fault, paintFor(session.stderr, session.env)));
  if (options.json === true)
    await writeOutput(session.stdout, `${JSON.stringify(failureJson(fault), null, 2)}\n`);
}

/** Of a command that was interrupted, that it was; unless it says so itself, with what goes on without it. */
function told({ signal }: Session, fault: unknown): unknown {
  if (!signal.aborted) return fault;
  if (fault instanceof Error && "code" in fault && fault.code === "aborted") return fault;
  const { reason } = signal;
  const message = reason instanceof Error ? reason.message : "stopped";
  return Object.assign(new Error(message, { cause: fault }), { code: "aborted" });
}

/** Wrong arguments: our own check, or the client's before it sent anything. */
function isUsage(fault: unknown): boolean {
  if (fault instanceof UsageError) return true;
  return (
    fault instanceof PlanledgerError &&
    fault.details.status === undefined &&
    argumentFields.has(String(fault.details.field))
  );
}

const argumentFields = new Set(["planId", "decision", "run", "limit", "project", "token", "url", "name"]);
