import { existsSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { SendMessageCommand, SQSClient } from "@aws-sdk/client-sqs";
import { parse } from "yaml";
import { scriptOptions, wrongUsage } from "./script-options.ts";

const help = `Usage: npx node scripts/send-submission.ts PLAN_ID FILE [QUEUE_URL]

Sends the plan of a file (JSON or YAML) to a submissions queue: that of the planledger dev of this directory, unless
a URL is given. Prints the message's id.
`;

const devFile = ".planledger/dev.json";
const { positionals } = scriptOptions({ allowPositionals: true }, help);
const [planId, file, given] = positionals;
if (planId === undefined || file === undefined || positionals.length > 3) {
  wrongUsage(
    "give PLAN_ID and FILE, and QUEUE_URL if it is not the queue of the planledger dev of this directory",
  );
}
if (given === undefined && !existsSync(devFile)) {
  wrongUsage("no planledger dev runs in this directory: start one, or give QUEUE_URL");
}
if (given !== undefined && !URL.canParse(given)) wrongUsage(`QUEUE_URL is no URL: ${given}`);
if (!existsSync(file)) wrongUsage(`there is no file ${file}`);

try {
  const queueUrl: string = given ?? JSON.parse(await readFile(devFile, "utf8")).submissionsQueueUrl;
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
} catch (fault) {
  process.stderr.write(`error: ${fault instanceof Error ? fault.message : String(fault)}\n`);
  process.exitCode = 1;
}
