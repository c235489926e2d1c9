import { CommanderError } from "commander";
import { planledgerProgram } from "./program.ts";
import { reportFailure } from "./run-action.ts";
import type { Session } from "./session.ts";
import { writeOutput } from "./write-output.ts";

/** Parses and runs one command line (without the two leading words of `process.argv`); the exit code is the session's. */
export async function runCommandLine(session: Session, args: readonly string[]): Promise<void> {
  try {
    await planledgerProgram(session).parseAsync(args, { from: "user" });
  } catch (fault) {
    if (!(fault instanceof CommanderError)) {
      session.exitCode = 1;
      await reportFailure(session, { json: args.includes("--json") }, fault);
      return;
    }
    // Commander has said on stderr what is wrong. Asking for help is no error.
    session.exitCode = fault.exitCode === 0 ? 0 : 2;
    if (session.exitCode === 2 && args.includes("--json")) {
      const error = { code: "usage", message: fault.message.replace(/^error: /, "") };
      await writeOutput(session.stdout, `${JSON.stringify({ error }, null, 2)}\n`);
    }
  }
}
