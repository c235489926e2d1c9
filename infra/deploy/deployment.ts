import { readFileSync } from "node:fs";
import * as z from "zod/mini";

const stackOutputs = z.looseObject({
  Url: z.string(),
  ApiId: z.string(),
  Region: z.string(),
  TableName: z.string(),
  BucketName: z.string(),
});

/** A deployed stack, as its outputs tell. */
export interface Deployment {
  readonly stackName: string;
  readonly region: string;
  /** The service's base URL. */
  readonly url: string;
  readonly tableName: string;
  readonly bucketName: string;
  /** By the queue's name in the topology. */
  readonly queueUrls: Readonly<Record<string, string>>;
}

const queueOutput = /^(.+)QueueUrl$/;

/**
 * Reads the file that `cdk deploy --outputs-file` writes. On AWS the service answers at the address that the gateway has; an
 * endpoint of another kind serves the gateway below its own address.
 */
export function readDeployment(outputsFile: string, endpointUrl: string | undefined): Deployment {
  const outputs = z.parse(z.record(z.string(), stackOutputs), JSON.parse(readFileSync(outputsFile, "utf8")));
  const [found, ...others] = Object.entries(outputs);
  if (found === undefined || others.length > 0) {
    throw new Error(`${outputsFile} is of ${Object.keys(outputs).length} stacks; it must be of one.`);
  }
  const [stackName, stack] = found;
  const queueUrls = Object.entries(stack).flatMap(([name, value]) => {
    const queue = queueOutput.exec(name)?.[1];
    return queue === undefined || typeof value !== "string" ? [] : [[queue, value] as const];
  });
  return {
    stackName,
    region: stack.Region,
    url:
      endpointUrl === undefined
        ? stack.Url.replace(/\/$/, "")
        : `${endpointUrl.replace(/\/$/, "")}/_aws/execute-api/${stack.ApiId}/$default`,
    tableName: stack.TableName,
    bucketName: stack.BucketName,
    queueUrls: Object.fromEntries(queueUrls),
  };
}
