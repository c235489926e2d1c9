import { setImmediate } from "node:timers/promises";
import { ToolError } from "./tool-error.ts";

/** Steps after which the host gets its turn: some hundredths of a second. */
const stepsInOneGo = 4 * 1024 * 1024;

/**
 * What one call may do, in steps that its tool counts. Input of 256 KiB can ask for hours of work, and JavaScript that waits
 * for nothing cannot be interrupted: neither would the time limit come up, nor would the host answer anyone else.
 */
export interface WorkBudget {
  /** Throws `limit_exceeded` at once when so many more steps are more than the call may do. */
  foresee(steps: number): void;
  /**
   * Announces work. Throws `limit_exceeded` once all of it together is more than the call may do, whatever the machine, and
   * whatever the signal was aborted with once the call's time limit is over; lets the host do other things now and then.
   */
  spend(steps: number): Promise<void>;
}

export const workBudget = (options: {
  readonly maximum: number;
  /** Begins the message: "The edits pass over more than 1 GiB …". */
  readonly tooMuch: string;
  readonly signal: AbortSignal;
}): WorkBudget => {
  const { maximum, tooMuch, signal } = options;
  let spent = 0;
  let sinceTurn = 0;
  const foresee = (steps: number): void => {
    if (spent + steps <= maximum) return;
    throw new ToolError({ code: "limit_exceeded", message: tooMuch, details: { limit: maximum } });
  };
  return {
    foresee,
    async spend(steps) {
      foresee(steps);
      spent += steps;
      sinceTurn += steps;
      if (sinceTurn < stepsInOneGo) return;
      sinceTurn = 0;
      await setImmediate();
      signal.throwIfAborted();
    },
  };
};
