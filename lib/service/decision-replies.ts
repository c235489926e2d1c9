import type * as z from "zod/mini";
import type { callReply, DecisionReply } from "../api/plan-replies.ts";
import type { ToolCall } from "../plan/compiled-plan.ts";
import type { CallRecord } from "../run/decision-record.ts";
import type { DecisionView } from "../run/read-decisions.ts";
import { entryReplies } from "./entry-replies.ts";
import { failureReplyOf } from "./failure-reply.ts";
import { outputText } from "./output-text.ts";
import { fittingItems, shortInput, shortText } from "./reply-size.ts";

type CallReply = z.output<typeof callReply>;

/** A decision as the API tells it. `idOf` gives the ids of the decisions that it depends on. */
export const decisionReplyOf = (view: DecisionView, idOf: (ordinal: number) => string): DecisionReply => {
  const { decision, record } = view;
  const failure = record === undefined ? undefined : failureReplyOf(record);
  return {
    ordinal: decision.ordinal,
    decisionId: decision.id,
    ...(decision.parentId === undefined ? {} : { parentId: decision.parentId }),
    ...(decision.rationale === undefined ? {} : { rationale: decision.rationale }),
    dependsOn: decision.dependsOn.map(idOf),
    run: view.run,
    status: record?.outcome.status ?? "pending",
    ...(failure === undefined ? {} : { failure }),
    calls: (record?.calls ?? []).map((call) => callReplyOf(call, decision.toolCalls[call.callOrdinal])),
    entries: entryReplies(record?.entries ?? []),
    ...(record === undefined
      ? {}
      : { startedAt: new Date(record.startedAtEpochMs).toISOString(), durationMs: record.durationMs }),
  };
};

const callReplyOf = (call: CallRecord, planned: ToolCall | undefined): CallReply => {
  const { text, illFormed } = outputText(call.output.bytes);
  return {
    callOrdinal: call.callOrdinal,
    tool: call.tool,
    input: planned?.input ?? {},
    status: call.status,
    ...(call.failure === undefined
      ? {}
      : {
          failure: {
            code: call.failure.code,
            message: call.failure.message,
            ...(call.failure.details === undefined ? {} : { details: { ...call.failure.details } }),
          },
        }),
    output: text,
    outputIllFormed: illFormed,
    outputSizeBytes: call.output.sizeBytes,
    outputTruncated: call.output.truncated,
    durationMs: call.durationMs,
  };
};

const keptEntriesBytes = 512 * 1024;

/**
 * A decision that alone is more than a reply can hold: long outputs are cut, and say so; of long inputs, which stand in the
 * plan, the size is told, and of entries, which the changeset pages, how many are left out.
 */
export const shortened = (reply: DecisionReply): DecisionReply => {
  const entries = fittingItems(reply.entries, keptEntriesBytes);
  const entriesLeftOut = reply.entries.length - entries.length;
  return {
    ...reply,
    calls: reply.calls.map((call) => {
      const output = shortText(call.output);
      return {
        ...call,
        input: shortInput(call.input),
        output: output.text,
        outputTruncated: call.outputTruncated || output.truncated,
      };
    }),
    entries: [...entries],
    ...(entriesLeftOut === 0 ? {} : { entriesLeftOut }),
  };
};
