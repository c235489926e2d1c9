import { type SendMessageCommandInput, SQSClient } from "@aws-sdk/client-sqs";
import { awsClientOptions } from "./aws-clients.ts";
import type { AwsEnvironment } from "./environment.ts";
import { currentTraceHeader } from "./invocation.ts";

/** A client whose messages carry the trace of the invocation that sends them. */
export const sqsClient = (environment: AwsEnvironment): SQSClient => {
  const client = new SQSClient(awsClientOptions(environment, "SQS"));
  client.middlewareStack.add(
    (next) => (send) => next("MessageBody" in send.input ? { ...send, input: traced(send.input) } : send),
    { step: "initialize", name: "planledgerTrace" },
  );
  return client;
};

/** SQS takes so many of a message. */
const attributesMaximum = 10;

/** The system attribute links X-Ray's traces, but not every emulator keeps it; the other one is for our own logs. */
const traced = (message: SendMessageCommandInput): SendMessageCommandInput => {
  const header = currentTraceHeader();
  if (header === undefined) return message;
  const { MessageAttributes: own = {} } = message;
  const value = { DataType: "String", StringValue: header };
  return {
    ...message,
    MessageSystemAttributes: { AWSTraceHeader: value, ...message.MessageSystemAttributes },
    ...(Object.keys(own).length < attributesMaximum
      ? { MessageAttributes: { traceHeader: value, ...own } }
      : {}),
  };
};

/** A client for long polling: its answers take up to 20 s, and the poller itself tries again. */
export const pollingSqsClient = (environment: AwsEnvironment): SQSClient =>
  new SQSClient({
    ...awsClientOptions(environment, "SQS"),
    maxAttempts: 1,
    requestHandler: { connectionTimeout: 2_000, requestTimeout: 30_000, throwOnRequestTimeout: true },
  });
