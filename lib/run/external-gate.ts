import { sha256Hex } from "../canonical/sha256.ts";
import type { CompiledDecision } from "../plan/compiled-plan.ts";
import type { ToolOutcome } from "../tools/tool-outcome.ts";
import type { ExternalCall, ExternalGate } from "./decision-executor.ts";
import type { ExternalIntent, Frontier } from "./frontier.ts";
import { idempotencyKey } from "./idempotency-key.ts";
import { CallUnderWay, OutOfTime, RunMoved } from "./run-moved.ts";
import type { RunPorts } from "./run-ports.ts";
import type { ExternalResult, RunKey } from "./run-store.ts";

/** Beyond the call's own time limit: until then a result may still be on its way into the store. */
const resultMarginMs = 10_000;

/**
 * The gate of one decision (design §3.7). A recorded result is the outcome, whoever recorded it. Without one, the intent is
 * recorded by a move of the frontier, which fences the call: after a pause or a cancel that move fails. An intent found
 * without a result means a caller that is alive or died: until its deadline nobody else calls; after it a tool that is
 * idempotent is called again, and any other call ends as `external_outcome_unknown`, recorded like a result so that a late
 * one cannot contradict it.
 */
export function externalGate(options: {
  readonly key: RunKey;
  readonly decision: CompiledDecision;
  readonly ports: Pick<RunPorts, "results" | "clock">;
  /**
   * Moves the frontier to one with the intent that `decide` makes of it, nothing else moving it in between in this worker;
   * `false` when somebody else moved it, or when there is no intent to record.
   */
  readonly recordIntent: (decide: (frontier: Frontier) => ExternalIntent | undefined) => Promise<boolean>;
  /** Whether a call may begin that takes up to so long; one that does not is left to another worker. */
  readonly hasTimeFor: (timeLimitMs: number) => boolean;
}): ExternalGate {
  const { key, decision, ports, recordIntent, hasTimeFor } = options;
  const { ordinal } = decision;

  async function recorded(call: ExternalCall, callKey: string): Promise<ExternalResult | undefined> {
    const here = await ports.results.get({ ...key, ordinal, callOrdinal: call.callOrdinal });
    if (here !== undefined) {
      return here;
    }
    for (let run = key.run - 1; run >= 1; run -= 1) {
      const before = await ports.results.get({ ...key, run, ordinal, callOrdinal: call.callOrdinal });
      if (before?.idempotencyKey === callKey && before.outcome.status === "succeeded") {
        return before;
      }
    }
    return undefined;
  }

  async function record(call: ExternalCall, callKey: string, outcome: ToolOutcome): Promise<ToolOutcome> {
    const standing = await ports.results.putIfAbsent(
      { ...key, ordinal, callOrdinal: call.callOrdinal },
      { v: 1, idempotencyKey: callKey, outcome },
    );
    return standing.outcome;
  }

  return {
    async run(call, perform) {
      const { callOrdinal, inputSha256, tool } = call;
      const callKey = idempotencyKey({ ...key, decisionId: decision.id, callOrdinal, inputSha256 });
      const result = await recorded(call, callKey);
      if (result !== undefined) {
        return result.outcome;
      }
      if (!hasTimeFor(call.timeLimitMs)) {
        throw new OutOfTime();
      }
      let wasStarted = false;
      const deadlineEpochMs = ports.clock.now() + call.timeLimitMs + resultMarginMs;
      const mayCall = await recordIntent(({ intent }) => {
        if (intent !== undefined && intent.ordinal === ordinal && intent.callOrdinal === callOrdinal) {
          if (ports.clock.now() <= intent.deadlineEpochMs) {
            throw new CallUnderWay(intent.deadlineEpochMs);
          }
          if (!call.idempotent) {
            wasStarted = true;
            return undefined;
          }
        }
        return { ordinal, callOrdinal, tool, inputSha256, idempotencyKey: callKey, deadlineEpochMs };
      });
      if (wasStarted) {
        return record(call, callKey, outcomeUnknown(tool));
      }
      if (!mayCall) {
        throw new RunMoved();
      }
      // Whoever comes after the deadline takes this caller for dead; one that was held up until then must not call any more.
      if (ports.clock.now() > deadlineEpochMs) {
        throw new RunMoved();
      }
      return record(call, callKey, await perform(callKey));
    },
  };
}

function outcomeUnknown(tool: string): ToolOutcome {
  return {
    status: "failed",
    failure: {
      code: "external_outcome_unknown",
      message: `A call of ${tool} was started and its outcome is not known: the worker that made it ended before it could record one. The tool is not declared idempotent, so the call is not repeated. Look at the other side, then resume the plan.`,
    },
    output: { bytes: new Uint8Array(), sizeBytes: 0, truncated: false, sha256: sha256Hex("") },
  };
}
