import { SendMessageCommand, type SQSClient } from "@aws-sdk/client-sqs";
import { translateFault } from "../table/translate-fault.ts";
import type { HintQueue } from "./run-store.ts";

/** The longest that SQS delays a message. */
const greatestDelaySeconds = 900;

/** Hints as JSON on an SQS queue. A delay is in whole seconds, rounded up, at most 900: a hint may come early, never be lost. */
export function sqsHintQueue(options: {
  readonly client: SQSClient;
  readonly queueUrl: string;
  /** Of the trace that a message belongs to. */
  readonly traceHeader?: () => string | undefined;
}): HintQueue {
  const { client, queueUrl } = options;
  return {
    async send(hint, { delaySeconds = 0 } = {}) {
      const trace = options.traceHeader?.();
      const delay = Math.min(Math.max(Math.ceil(delaySeconds), 0), greatestDelaySeconds);
      try {
        await client.send(
          new SendMessageCommand({
            QueueUrl: queueUrl,
            MessageBody: JSON.stringify(hint),
            ...(delay === 0 ? {} : { DelaySeconds: delay }),
            ...(trace === undefined
              ? {}
              : {
                  // The first links X-Ray's traces, but not every emulator keeps it; the second is for our own logs.
                  MessageSystemAttributes: { AWSTraceHeader: { DataType: "String", StringValue: trace } },
                  MessageAttributes: { traceHeader: { DataType: "String", StringValue: trace } },
                }),
          }),
        );
      } catch (fault) {
        throw translateFault(fault, `send a hint for run ${hint.run} of plan ${hint.planId}`);
      }
    },
  };
}
