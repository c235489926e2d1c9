import { InfrastructureError } from "../errors/planledger-error.ts";

/** Somebody else moved the run: what was computed on the old frontier counts for nothing. The engine reads it again. */
export class RunMoved extends InfrastructureError {
  constructor() {
    super({ message: "The run was moved by somebody else; reading it again." });
  }
}

/** What is left of the worker's time is less than an external call may take; a worker with all of its time makes it. */
export class OutOfTime extends InfrastructureError {
  constructor() {
    super({ message: "Too little time is left for an external call; another worker goes on." });
  }
}

/** An external call may be under way in another worker until that time; the engine comes back then. */
export class CallUnderWay extends InfrastructureError {
  readonly untilEpochMs: number;

  constructor(untilEpochMs: number) {
    super({
      message: "An external call may be under way in another worker; coming back after its deadline.",
    });
    this.untilEpochMs = untilEpochMs;
  }
}
