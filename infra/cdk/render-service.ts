import { CfnOutput, Duration, type Stack } from "aws-cdk-lib";
import { Rule, RuleTargetInput, Schedule } from "aws-cdk-lib/aws-events";
import { LambdaFunction as FunctionTarget } from "aws-cdk-lib/aws-events-targets";
import { Key, KeySpec, KeyUsage } from "aws-cdk-lib/aws-kms";
import type { Code } from "aws-cdk-lib/aws-lambda";
import { SqsEventSource } from "aws-cdk-lib/aws-lambda-event-sources";
import { withSubmissionQueues } from "../submission-queues.ts";
import type { Topology } from "../topology-shape.ts";
import type { DeploySettings } from "./deploy-settings.ts";
import { renderAlarms } from "./render-alarms.ts";
import { renderApi } from "./render-api.ts";
import { type FunctionParts, renderFunctions } from "./render-functions.ts";
import { renderQueues } from "./render-queues.ts";
import { renderStorage } from "./render-storage.ts";

/** Renders the topology into a stack. It decides nothing that the topology or the settings say. */
export function renderService(
  stack: Stack,
  { topology: given, settings }: { readonly topology: Topology; readonly settings: DeploySettings },
  code: { readonly codeOf: (entry: string) => Code; readonly version: string },
): void {
  const { submissionQueues } = settings;
  const topology = submissionQueues === undefined ? given : withSubmissionQueues(given, submissionQueues);
  const storage = renderStorage(stack, topology, settings);
  const queues = renderQueues(stack, topology, settings);
  const functions = renderFunctions(
    stack,
    { topology, settings },
    { ...storage, queues, signing: signingOf(stack, settings), ...code },
  );
  for (const [name, { consumer }] of Object.entries(topology.queues)) {
    const queue = queues.get(name);
    const consuming = consumer === undefined ? undefined : functions.get(consumer.function);
    if (consumer === undefined || queue === undefined || consuming === undefined) continue;
    const pollers = name === "decisions" ? settings.provisionedPollers : undefined;
    consuming.addEventSource(
      new SqsEventSource(queue, {
        batchSize: consumer.batchSize,
        reportBatchItemFailures: true,
        ...(pollers === undefined
          ? { maxConcurrency: consumer.maximumConcurrency }
          : {
              provisionedPollerConfig: { minimumPollers: pollers, maximumPollers: Math.max(2, pollers * 10) },
            }),
      }),
    );
  }
  for (const [name, { everyMinutes, function: target }] of Object.entries(topology.schedules)) {
    const scheduled = functions.get(target);
    if (scheduled === undefined)
      throw new Error(`Schedule ${name} wants function ${target}, which is not there.`);
    new Rule(stack, `${name}Schedule`, {
      schedule: Schedule.rate(Duration.minutes(everyMinutes)),
      targets: [new FunctionTarget(scheduled, { event: RuleTargetInput.fromObject({ schedule: name }) })],
    });
  }
  const api = renderApi(stack, { topology, settings }, functions);
  if (settings.alarms) renderAlarms(stack, { topology, settings }, { queues, functions });
  new CfnOutput(stack, "Url", { value: api.apiEndpoint });
  new CfnOutput(stack, "ApiId", { value: api.apiId });
  new CfnOutput(stack, "Region", { value: stack.region });
  new CfnOutput(stack, "TableName", { value: storage.table.tableName });
  new CfnOutput(stack, "BucketName", { value: storage.bucket.bucketName });
  for (const [name, queue] of queues) new CfnOutput(stack, `${name}QueueUrl`, { value: queue.queueUrl });
}

function signingOf(stack: Stack, settings: DeploySettings): FunctionParts["signing"] {
  if (settings.signing !== "kms") {
    const parameter = settings.signing.slice("parameter:".length);
    return {
      value: settings.signing,
      parameterArn: stack.formatArn({
        service: "ssm",
        resource: "parameter",
        resourceName: parameter.replace(/^\//, ""),
      }),
    };
  }
  const key = new Key(stack, "SigningKey", {
    alias: `alias/${settings.name}-ledger`,
    description: "Signs the heads of Planledger's ledgers.",
    keySpec: KeySpec.ECC_NIST_EDWARDS25519,
    keyUsage: KeyUsage.SIGN_VERIFY,
  });
  return { value: `kms:${key.keyArn}`, key };
}
