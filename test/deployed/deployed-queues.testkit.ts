import assert from "node:assert/strict";
import {
  DeleteMessageCommand,
  GetQueueAttributesCommand,
  type Message,
  ReceiveMessageCommand,
  SendMessageBatchCommand,
  SetQueueAttributesCommand,
  StartMessageMoveTaskCommand,
} from "@aws-sdk/client-sqs";
import { sqsClient } from "#functions/sqs-client.ts";
import { queueUrl, settings } from "./deployed-service.testkit.ts";

export const sqs = sqsClient(settings);

export async function send(queue: string, bodies: readonly string[]): Promise<void> {
  const entries = bodies.map((MessageBody, index) => ({ Id: String(index), MessageBody }));
  const sent = await sqs.send(new SendMessageBatchCommand({ QueueUrl: queueUrl(queue), Entries: entries }));
  assert.deepEqual(sent.Failed ?? [], []);
}

/** How many messages a queue holds, in flight and delayed ones too. */
export async function messagesIn(queue: string): Promise<number> {
  const { Attributes: found } = await sqs.send(
    new GetQueueAttributesCommand({ QueueUrl: queueUrl(queue), AttributeNames: ["All"] }),
  );
  const names = ["", "NotVisible", "Delayed"].map((suffix) => `ApproximateNumberOfMessages${suffix}`);
  return names.map((name) => Number(Object(found)[name] ?? 0)).reduce((sum, one) => sum + one, 0);
}

/** Looks at the messages of a queue that nothing consumes, and leaves them there. */
export async function lookInto(queue: string): Promise<readonly Message[]> {
  const { Messages: messages = [] } = await sqs.send(
    new ReceiveMessageCommand({
      QueueUrl: queueUrl(queue),
      MaxNumberOfMessages: 10,
      VisibilityTimeout: 0,
      WaitTimeSeconds: 0,
      MessageSystemAttributeNames: ["All"],
    }),
  );
  return messages;
}

/** Lets messages of a queue that failed come back after so many seconds; answers what puts it back. */
export async function withVisibility(queue: string, seconds: number): Promise<() => Promise<void>> {
  const { Attributes: before } = await sqs.send(
    new GetQueueAttributesCommand({ QueueUrl: queueUrl(queue), AttributeNames: ["VisibilityTimeout"] }),
  );
  const set = async (value: string) => {
    const Attributes = { VisibilityTimeout: value };
    await sqs.send(new SetQueueAttributesCommand({ QueueUrl: queueUrl(queue), Attributes }));
  };
  await set(String(seconds));
  return () => set(before?.VisibilityTimeout ?? "");
}

/** Moves dead letters back to the queue that they come from, as an operator does. */
export async function redrive(queue: string): Promise<void> {
  const { Attributes: found } = await sqs.send(
    new GetQueueAttributesCommand({ QueueUrl: queueUrl(queue), AttributeNames: ["QueueArn"] }),
  );
  try {
    await sqs.send(new StartMessageMoveTaskCommand({ SourceArn: found?.QueueArn }));
  } catch (fault) {
    if (!isLacking(fault)) throw fault;
    await moveAll(queue, queue.replace(/DeadLetter$/, ""));
  }
}

/** Emulators know no such task (MiniStack 1.5.33, fauxqs 2.4.1). AWS does, and refuses one for another reason. */
const isLacking = (fault: unknown): boolean =>
  fault instanceof Error &&
  /InvalidAction|UnknownOperation|UnsupportedOperation|NotImplemented/.test(`${fault.name} ${fault.message}`);

async function moveAll(from: string, to: string): Promise<void> {
  for (;;) {
    const { Messages: messages = [] } = await sqs.send(
      new ReceiveMessageCommand({ QueueUrl: queueUrl(from), MaxNumberOfMessages: 10, WaitTimeSeconds: 0 }),
    );
    if (messages.length === 0) return;
    await send(
      to,
      messages.map(({ Body: body = "" }) => body),
    );
    for (const { ReceiptHandle } of messages) {
      await sqs.send(new DeleteMessageCommand({ QueueUrl: queueUrl(from), ReceiptHandle }));
    }
  }
}
