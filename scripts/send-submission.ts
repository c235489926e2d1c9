import { readFile } from "node:fs/promises";
import { SendMessageCommand, SQSClient } from "@aws-sdk/client-sqs";
import { parse } from "yaml";

/**
 * `node scripts/send-submission.ts PLAN_ID FILE [QUEUE_URL]`: sends the plan of a file (JSON or YAML) to a submissions queue:
 * that of the `planledger dev` of this directory, unless a URL is given. Prints the message's id.
 */
const [planId, file, given] = process.argv.slice(2);
if (planId === undefined || file === undefined) {
  process.stderr.write("usage: node scripts/send-submission.ts PLAN_ID FILE [QUEUE_URL]\n");
  process.exit(2);
}
const queueUrl: string =
  given ?? JSON.parse(await readFile(".planledger/dev.json", "utf8")).submissionsQueueUrl;
const isLocal = ["127.0.0.1", "localhost"].includes(new URL(queueUrl).hostname);
const client = new SQSClient(
  isLocal
    ? {
        endpoint: new URL(queueUrl).origin,
        region: "us-east-1",
        credentials: { accessKeyId: "local", secretAccessKey: "local" },
        useQueueUrlAsEndpoint: false,
      }
    : {},
);
const plan: unknown = parse(await readFile(file, "utf8"));
const { MessageId } = await client.send(
  new SendMessageCommand({ QueueUrl: queueUrl, MessageBody: JSON.stringify({ v: 1, planId, plan }) }),
);
process.stdout.write(`${MessageId}\n`);
