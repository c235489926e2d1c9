import { setTimeout as delay } from "node:timers/promises";
import { InfrastructureError } from "#lib/errors/planledger-error.ts";
import type { Session } from "./session.ts";

/** For a command that follows something at a service which may be away for a while. */
export interface Patience {
  /** The service answered. */
  answered(): void;
  /**
   * After a fault: waits, so that the caller can try again. Throws the fault when it is none that may pass, and, when the service
   * was away for the stated time, one that says how to go on.
   */
  wait(fault: unknown): Promise<void>;
}

/** A service may be away for two minutes, beyond the retries of the client; that is said when it begins. */
export function patience(
  session: Pick<Session, "signal" | "stderr">,
  how: {
    /** What goes on without this command, and which one comes back to it. */
    readonly later: string;
    readonly say?: (line: string) => void;
    readonly pauseMs?: number;
    readonly pauses?: number;
  },
): Patience {
  const { later, pauseMs = 2_000, pauses = 60 } = how;
  const say = how.say ?? ((line) => void session.stderr.write(`${line}\n`));
  let left: number | undefined;
  return {
    answered() {
      if (left !== undefined) say("the service is there again");
      left = undefined;
    },
    async wait(fault) {
      if (session.signal.aborted || !(fault instanceof InfrastructureError)) throw fault;
      const seconds = Math.round((pauseMs * pauses) / 1000);
      if (left === undefined) {
        left = pauses;
        say(`${fault.message}; trying again for at least ${seconds} seconds`);
      }
      if (left === 0) {
        throw new InfrastructureError({
          code: fault.code,
          message: `${fault.message}. It was away for ${seconds} seconds; ${later}`,
          details: fault.details,
          cause: fault,
        });
      }
      left -= 1;
      await delay(pauseMs, undefined, { signal: session.signal });
    },
  };
}
